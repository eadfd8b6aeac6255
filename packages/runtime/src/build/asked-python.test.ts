import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { otherPython } from './asked-python.ts';

test.each([
  ['.python-version', '3.11.7\n', null],
  ['.python-version', '3.12\n', /\.python-version asks for Python 3\.12.*offers Python 3\.11 only/],
  ['pyproject.toml', '[project]\nrequires-python = ">=3.9,<4"\n', null],
  ['pyproject.toml', '[project]\nrequires-python = ">=3.12"\n', /pyproject\.toml asks for Python >=3\.12/],
  ['pyproject.toml', '[project]\nrequires-python = "==3.10.*"\n', /asks for Python 3\.10/],
  ['pyproject.toml', '[project]\nname = "x"\n', null],
])('%s that says %j is compared with the Python that there is', async (file, text, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-asked-'));
  try {
    writeFileSync(join(folder, file), text);
    const warning = await otherPython(folder, '3.11');
    if (said === null) expect(warning).toBe(null);
    else expect(warning).toMatch(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
