import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilds, type Builds } from '../testing/builds.ts';

let builds: Builds;
let build: Builds['build'];
beforeAll(async () => {
  builds = await openBuilds();
  ({ build } = builds);
});
afterAll(() => builds.close());

const layers = (): string[] => readdirSync(join(builds.bench.dataDir, 'runtime', 'layers'));

describe('requirements', () => {
  const program = (body: string): Record<string, string> => ({
    'src/program.py': `import idna\n\ndef run():\n    return ${body}\n`,
  });

  test('are installed once for all services that list the same, also when they are built at the same time', async () => {
    const [first, second] = await Promise.all([
      build({ ...program('idna.__version__'), 'requirements.txt': 'idna==3.10\n' }),
      build(
        { ...program('idna.encode("é.de").decode()'), 'requirements.txt': '# the same\nidna == 3.10\n' },
        builds.another(),
      ),
    ]);
    expect(await builds.bench.result(builds.codeOf(first))).toBe('3.10');
    expect(await builds.bench.result(builds.codeOf(second))).toBe('xn--9ca.de');
    expect(layers()).toHaveLength(1);
    const third = await build({ ...program('1'), 'requirements.txt': 'idna==3.10' });
    expect(third.log.join('\n')).toContain('Already installed');
    expect(layers()).toHaveLength(1);
  });

  test.each([
    ['an option', 'idna\n--extra-index-url https://evil.example\n', 'requirements-invalid', /line 2/],
    ['a file of the machine', 'x @ file:///etc/passwd\n', 'requirements-invalid', /line 1/],
    ['another list', '-r other.txt\n', 'requirements-invalid', /line 1/],
    ['a folder', './local\n', 'requirements-invalid', /line 1/],
    ['a version that does not exist', 'idna==999.0\n', 'package-not-found', /idna/],
    ['the same twice', 'idna==3.10\nidna==3.9\n', 'requirements-invalid', /line 2.*idna/],
    ['two that exclude each other', 'requests==2.32.3\nidna==2.0\n', 'packages-conflict', /idna/],
  ])('with %s are refused', async (_what, requirements, problem, detail) => {
    const before = layers();
    const outcome = await build({ ...program('1'), 'requirements.txt': requirements });
    expect(outcome).toMatchObject({ ok: false, problem: { code: problem, detail: expect.stringMatching(detail) } });
    expect(layers()).toEqual(before);
    expect(readdirSync(join(builds.bench.dataDir, 'runtime', 'drafts'))).toEqual([]);
  });
});

describe('a conda environment', () => {
  const needed = { 'src/program.py': 'def run():\n    import six\n' };

  test.each(['environment.yml', 'environment.yaml'])('%s without a requirements.txt is warned of, with the remedy', async (file) => {
    const { ok, log, warnings } = await build({ ...needed, [file]: 'dependencies: [six]\n' });
    expect([ok, log]).toEqual([true, expect.arrayContaining(['No requirements.'])]);
    expect(warnings).toEqual([expect.stringMatching(`^${file} is not read, .* \`ket up\`, .*requirements\\.txt\\.$`)]);
  }); // prettier-ignore

  test('beside a requirements.txt is named, and so is what is missing', async () => {
    const files = { 'environment.yml': 'dependencies: [six]\n', 'requirements.txt': '\n' };
    const { log, warnings } = await build({ ...needed, ...files });
    expect([log, warnings]).toEqual([
      expect.arrayContaining(['environment.yml is not read: requirements.txt names the packages.']),
      [],
    ]);
    const failed = await build({ 'src/program.py': 'import six\ndef run():\n    return 1\n', ...files });
    const detail = expect.stringMatching(
      /Add six to requirements\.txt\. If `ket up` makes .* below `pip:`\.$/,
    ) as string;
    expect(failed).toMatchObject({ ok: false, problem: { code: 'import-failed', detail } });
  });

  test('with an import that fails names `ket up` only where there is no requirements.txt', async () => {
    const program = { 'src/program.py': 'import six\ndef run():\n    return 2\n' };
    const failed = await build({ ...program, 'environment.yml': 'dependencies: [six]\n' });
    const detail = expect.stringMatching(/requirements\.txt\. environment\.yml is not read here; `ket up`/) as string;
    expect(failed).toMatchObject({ ok: false, problem: { code: 'import-failed', detail } });
  });
});

test('a .python-version that names no version is warned of', async () => {
  const { ok, warnings } = await build({ 'src/program.py': 'def run():\n    return 3\n', '.python-version': 'mine\n' });
  expect([ok, warnings]).toEqual([true, [expect.stringMatching(/^\.python-version is not followed: `mine`/)]]);
});

describe('inspection', () => {
  test('finds the parameters of run and what a warm process should import', async () => {
    const outcome = await build({
      'src/program.py':
        'import json\nimport idna\nfrom kethub.secret import SecretValue\n\ndef run(data: dict, token: SecretValue, shots: int = 5):\n    return 1\n',
      'requirements.txt': 'idna==3.10\n',
    });
    expect(outcome).toMatchObject({
      ok: true,
      built: {
        imports: ['idna', 'json'],
        parameters: [
          { name: 'data', kind: 'data', required: true },
          { name: 'token', kind: 'secret', required: true },
          { name: 'shots', required: false },
        ],
      },
    });
  });

  test('takes from the program only what it says of itself: what warm processes import is read from its text', async () => {
    const report = {
      interface: { parameters: [], resultSchema: null },
      imports: ['src.program', 'os', 'decimal'],
      modules: ['src.program', 'src', 'os', 'decimal', 'json'],
    };
    const forged = `import json, os\nwhile True:\n    for one in range(3, 20):\n        try: os.write(one, json.dumps(${JSON.stringify(report).replaceAll('null', 'None')}).encode())\n        except OSError: continue\n        os._exit(0)\ndef run():\n    return 1\n`;
    const outcome = await build({ 'src/program.py': forged });
    expect(outcome).toMatchObject({ ok: true, built: { imports: ['json', 'os'], parameters: [] } });
  });

  test('runs the program without network, and not for ever', async () => {
    const outcome = await build({
      'src/program.py':
        'import socket\nsocket.create_connection(("192.0.2.1", 80), timeout=2)\ndef run():\n    return 1\n',
    });
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'program-raised' } });
  });
});
