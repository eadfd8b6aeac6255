import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askedPython } from './asked-python.ts';
import { choosePython } from './choose-python.ts';
import { pythonRange } from './python-range.ts';

const OFFERED = { usual: '3.11', others: ['3.10', '3.11', '3.12', '3.13'] };

async function chosenFor(
  files: Record<string, string>,
  configured: string | null = null,
  warnings: string[] = [],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-asked-'));
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return choosePython(await askedPython(folder, configured, (message) => void warnings.push(message)), OFFERED);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each<[Record<string, string>, string | null, string]>([
  [{}, null, '3.11'],
  [{ '.python-version': '3.11.7\n' }, null, '3.11'],
  [{ '.python-version': '3.12\n' }, null, '3.12'],
  [{ '.python-version': 'cpython-3.13.1\n' }, null, '3.13'],
  [{ '.python-version': 'my-environment\n' }, null, '3.11'],
  [{ '.python-version': '3.12\n' }, '3.10', '3.10'],
  [{ '.python-version': '3.12\n', 'pyproject.toml': 'requires-python = ">=3.13"' }, null, '3.12'],
  [{ 'pyproject.toml': '[project]\nrequires-python = ">=3.9,<4"\n' }, null, '3.11'],
  [{ 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' }, null, '3.12'],
  [{ 'pyproject.toml': '[project]\nrequires-python = "<3.11"\n' }, null, '3.10'],
  [{ 'pyproject.toml': '[project]\nrequires-python = "==3.10.*"\n' }, null, '3.10'],
  [{ 'pyproject.toml': '[project]\nrequires-python = "!=3.11.*,>=3.9"\n' }, null, '3.12'],
  [
    { 'pyproject.toml': '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\nnumpy = "*"\npython = "^3.13"\n' },
    null,
    '3.13',
  ],
  [{ 'pyproject.toml': '[project]\nname = "x"\n' }, null, '3.11'],
])('%j with the configuration %j gets Python %s', async (files, configured, version) => {
  expect(await chosenFor(files, configured)).toBe(version);
});

test.each<[Record<string, string>, string, RegExp | null]>([
  [
    { '.python-version': 'my-environment\n' },
    '3.11',
    /^\.python-version is not followed: `my-environment` is no version/,
  ],
  [{ '.python-version': '# ours\n\n 3.12t\r\n' }, '3.11', /^\.python-version .*: `3\.12t` is no version/],
  [{ '.python-version': '3\n' }, '3.11', /`3` is no version/],
  [{ '.python-version': 'system\n', 'pyproject.toml': 'requires-python = ">=3.12"' }, '3.12', /`system` is no version/],
  [{ '.python-version': 'pypy-lessons\n' }, '3.11', /`pypy-lessons` is no version/],
  [
    { 'pyproject.toml': 'requires-python = "three"' },
    '3.11',
    /^The Python of pyproject\.toml is not followed: `three`/,
  ],
  [{ '.python-version': '# ours\n' }, '3.11', null],
  [{ '.python-version': 'mine\n3.12\n' }, '3.12', null],
  [{ '.python-version': '3.10\n', 'pyproject.toml': 'requires-python = "three"' }, '3.10', null],
])('%j gets Python %s with the warning %s', async (files, version, said) => {
  const warnings: string[] = [];
  expect(await chosenFor(files, null, warnings)).toBe(version);
  expect(warnings).toEqual(said === null ? [] : [expect.stringMatching(said)]);
});

test.each<[Record<string, string>, string | null, RegExp]>([
  [{ '.python-version': '3.9\n' }, null, /^\.python-version asks for Python 3\.9\. .*3\.10, 3\.11, 3\.12 and 3\.13/],
  [{ '.python-version': '3.14.2\n' }, null, /asks for Python 3\.14/],
  [{ '.python-version': 'pypy3.9\n' }, null, /^\.python-version asks for pypy3\.9\. This platform has Python 3\.10, /],
  [{ '.python-version': 'pypy3.9\n3.12\n' }, null, /asks for pypy3\.9\. /],
  [{ '.python-version': '# fast\npypy3.10-7.3.15\n' }, null, /asks for pypy3\.10-7\.3\.15\. /],
  [{ '.python-version': 'pypy@3.10', 'pyproject.toml': 'requires-python = ">=3.12"' }, null, /asks for pypy@3\.10\. /],
  [{ '.python-version': 'graalpy-community-24.0.1\n' }, null, /asks for graalpy-community-24\.0\.1\. /],
  [{ 'pyproject.toml': 'requires-python = ">=3.14"' }, null, /^pyproject\.toml asks for Python >=3\.14/],
  [{ 'pyproject.toml': 'requires-python = "~=2.7"' }, null, /asks for Python ~=2\.7/],
  [{}, '3.8', /^The configuration of the service asks for Python 3\.8/],
])('%j with the configuration %j is refused with the versions that there are', async (files, configured, said) => {
  await expect(chosenFor(files, configured)).rejects.toThrow(said);
});

test.each([
  ['>=3.10', ['3.10', '3.11', '3.12', '3.13']],
  ['>3.10', ['3.10', '3.11', '3.12', '3.13']],
  ['>=3.10,<3.12', ['3.10', '3.11']],
  ['<3.12.4', ['3.10', '3.11', '3.12']],
  ['<=3.11', ['3.10', '3.11']],
  ['~=3.11', ['3.11', '3.12', '3.13']],
  ['~=3.11.2', ['3.11']],
  ['~3.11', ['3.11']],
  ['3.12.*', ['3.12']],
  ['==3.*', ['3.10', '3.11', '3.12', '3.13']],
  ['>=3.10,!=3.11.*', ['3.10', '3.12', '3.13']],
  ['>=3.10, !=3.11.3', ['3.10', '3.11', '3.12', '3.13']],
  ['^3.12 || 3.10.*', ['3.10', '3.12', '3.13']],
  ['<4', ['3.10', '3.11', '3.12', '3.13']],
  ['^2.7', []],
])('%s holds %j', (text, versions) => {
  expect(['3.10', '3.11', '3.12', '3.13'].filter((one) => pythonRange(text)?.(one))).toEqual(versions);
});

test.each(['', 'three', '>=x'])('%j is no range', (text) => {
  expect(pythonRange(text)).toBe(null);
});
