import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openBench, type Bench } from '../testing/bench.ts';
import { openPackageIndex, wheelOf, type PackageIndex } from '../testing/package-index.ts';
import { createBuilder, type Builder, type BuildOutcome, type BuildRequest } from './index.ts';

let bench: Bench;
let index: PackageIndex;
let builder: Builder;
beforeAll(async () => {
  bench = await openBench();
  index = await openPackageIndex();
  const environment = { PIP_INDEX_URL: index.url, PIP_RETRIES: '0', HOME: '/nonexistent' };
  builder = createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime, environment });
});
afterAll(async () => {
  await index.close();
  await bench.close();
});
beforeEach(async () => {
  index.status = 0;
  index.files = new Map([await wheelOf('alpha', '1.0', 'VALUE = 1')]);
});

let number = 0;
const build = async (
  requirements: string,
  request: BuildRequest = {},
  body = 'import alpha\ndef run():\n    return alpha.VALUE\n',
): Promise<BuildOutcome & { log: string }> => {
  const zip = new ZipFile();
  const program = `# ${++number}\n${body}`;
  for (const [name, text] of Object.entries({ 'src/program.py': program, 'requirements.txt': requirements }))
    zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const archive = await buffer(zip.outputStream);
  const digest = createHash('sha256').update(archive).digest('hex');
  const log: string[] = [];
  const { signal } = new AbortController();
  const onLine = ({ message }: { message: string }): void => void log.push(message);
  const outcome = await builder.build(Readable.from([archive]), digest, onLine, signal, request);
  return { ...outcome, log: log.join('\n') };
};
const valueOf = async (outcome: BuildOutcome): Promise<unknown> => {
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  const folder = (path: string): string => join(bench.dataDir, 'runtime', path);
  const { source, layer, imports } = outcome.built;
  return bench.result({ sourceDir: folder(source), layerDir: layer === null ? null : folder(layer), imports });
};

describe('a value of the environment', () => {
  test.each([
    'alpha; python_version != "${PIP_INDEX_URL}"',
    'alpha==${PIP_INDEX_URL}',
    '${PIP_INDEX_URL}',
    'alpha[${HOME}]',
    'alpha $HOME',
    '--index-url https://${HOME}@example.org',
    'alpha @ https://example.org/${PIP_INDEX_URL}.whl',
    '-c ${HOME}/constraints.txt',
    '-r ${HOME}.txt',
    'alpha --config-settings="a=${HOME}"',
    'alpha \\\n; os_name == "$(id)"',
  ])('is not taken into a requirement: %s', async (line) => {
    const outcome = await build(`# \${HOME} in a comment\n${line}\n`);
    expect(outcome).toMatchObject({
      ok: false,
      problem: { code: 'requirements-invalid', detail: expect.stringMatching(/line 2.*(not allowed|only, not)/s) },
    });
    expect(outcome.log).not.toContain('Resolving');
  });
});

describe("the operator's index", () => {
  const hidden = (outcome: BuildOutcome & { log: string }): void => {
    const seen = outcome.log + JSON.stringify(outcome.ok ? outcome.built : outcome.problem);
    expect(index.secrets.filter((one) => seen.includes(one))).toEqual([]);
  };

  test('is named nowhere when packages are downloaded, also not in what they leave', async () => {
    const outcome = await build('alpha\n');
    hidden(outcome);
    expect(await valueOf(outcome)).toBe(1);
    const layer = join(bench.dataDir, 'runtime', (outcome.ok && outcome.built.layer) || '');
    const texts = await bench.runtime.sandboxed({
      command: ['/usr/bin/grep', '-r', '-l', '-e', '127.0.0.1', '-e', 'private-9f3c', '-e', 'operator-account', '/deps'],
      binds: [{ from: layer, to: '/deps', writable: false }],
      environment: {},
      network: 'NONE',
      limits: { memoryBytes: 2 ** 28, cpus: 1, processes: 8, runTimeMs: 20_000, tmpBytes: 2 ** 20, fileBytes: 2 ** 20, logBytes: 2 ** 20 },
    }); // prettier-ignore
    expect(texts.stdout).toBe('');
  });

  test.each([
    ['a package that it does not have', async () => build('beta\n')],
    ['a version that it does not have', async () => build('alpha==9\n')],
    ['a dependency that it does not have', async () => {
      index.files = new Map([await wheelOf('alpha', '1.0', '', 'Requires-Dist: gamma>=1')]);
      return build('alpha\n');
    }],
    ['a file that is no wheel', async () => {
      index.files = new Map([['alpha-1.0-py3-none-any.whl', Buffer.from('nothing')]]);
      return build('alpha\n');
    }],
    ['metadata of another version', async () => {
      const [, bytes] = await wheelOf('alpha', '2.0', '');
      index.files = new Map([['alpha-1.0-py3-none-any.whl', bytes]]);
      return build('alpha\n');
    }],
    ['403', async () => { index.status = 403; return build('alpha\n'); }],
    ['500', async () => { index.status = 500; return build('alpha\n'); }],
  ])('is named nowhere with %s', async (_what, attempt) => {
    const outcome = await attempt();
    expect(outcome.ok).toBe(false);
    hidden(outcome);
  }); // prettier-ignore
});

describe('a layer', () => {
  const layers = (): string[] => readdirSync(join(bench.dataDir, 'runtime', 'layers'));

  test('is what was resolved: what the index has withdrawn or replaced reaches nobody who asks anew', async () => {
    index.files = new Map([await wheelOf('alpha', '1.0', 'VALUE = "bad"')]);
    const first = await build('alpha>=1\n');
    expect(await valueOf(first)).toBe('bad');
    expect(first).toMatchObject({
      built: { resolved: { packages: [expect.stringMatching(/^alpha==1.0 --hash=sha256:[0-9a-f]{64}$/)] } },
    });

    index.files = new Map([await wheelOf('alpha', '1.0', 'VALUE = "good"')]);
    const second = await build('alpha>=1\n');
    expect(await valueOf(second)).toBe('good');

    index.files = new Map();
    const third = await build('alpha>=1\n');
    expect(third).toMatchObject({ ok: false, problem: { code: 'package-not-found' } });
    expect(await valueOf(first)).toBe('bad');
  });

  test('is shared by all whose requirements come to the same, however they are written', async () => {
    const one = await build('alpha==1.0\n');
    const before = layers();
    const other = await build('Alpha >= 0.5\n');
    expect(other.log).toContain('Already installed');
    expect(layers()).toEqual(before);
    expect([one, other].map((each) => each.ok && each.built.layer)).toEqual(Array(2).fill(before.find((name) => one.ok && one.built.layer?.endsWith(name))?.replace(/^/, 'layers/'))); // prettier-ignore
  });

  test('is installed again as it was resolved, or not at all', async () => {
    index.files = new Map([await wheelOf('alpha', '3.0', 'VALUE = 3')]);
    const built = await build('alpha\n');
    const resolved = built.ok ? built.built.resolved : null;
    index.files.set(...(await wheelOf('alpha', '4.0', 'VALUE = 4')));
    expect(await valueOf(await build('alpha\n', { resolved }))).toBe(3);
    const other = resolved && { ...resolved, packages: [`alpha==3.0 --hash=sha256:${'0'.repeat(64)}`] };
    expect(await build('alpha\n', { resolved: other })).toMatchObject({
      ok: false,
      problem: { detail: expect.stringMatching(/another file for alpha==3.0/) },
    });
  });
});

describe('the message', () => {
  const detailOf = (outcome: BuildOutcome): string => (outcome.ok ? '' : outcome.problem.detail);

  test.each([
    ['alpha==2.0\n', ['alpha-2.0.tar.gz'], /line 1: alpha 2\.0 exists as source code only.*with a wheel: 1\.0/],
    ['beta\n', ['beta-3.1.tar.gz'], /line 1: beta exists as source code only/],
    ['alpha==7\n', ['alpha-2.0.tar.gz'], /no version of alpha .* fits `alpha==7`/],
  ])('names what there is as source code only: %s', async (requirements, sources, detail) => {
    for (const name of sources) index.files.set(name, Buffer.from('source'));
    expect(detailOf(await build(requirements))).toMatch(detail);
  });

  test('does not ask for a package that is installed, and names the one that lacks another', async () => {
    index.files.set(...(await wheelOf('delta', '2.5', 'import epsilon')));
    expect(detailOf(await build('alpha\n', {}, 'import alpha.part\ndef run():\n    return 1\n'))).toMatch(
      /alpha 1\.0 is installed and has no alpha\.part/,
    );
    expect(detailOf(await build('delta\n', {}, 'import delta\ndef run():\n    return 1\n'))).toMatch(
      /Add epsilon to requirements\.txt\. The package delta imports it\./,
    );
  });
});

test('loguru, pydantic and PyYAML can be imported without being demanded, in the version that is demanded', async () => {
  for (const version of ['1.0', '2.0'])
    index.files.set(...(await wheelOf('pyyaml', version, `VERSION = "${version}"`, '', 'yaml')));
  const body = 'from yaml import VERSION\ndef run():\n    return VERSION\n';
  const outcome = await build('', {}, body);
  expect(await valueOf(outcome)).toBe('2.0');
  expect(outcome.log).toContain('Adding pyyaml');
  expect(await valueOf(await build('PyYAML<2\n', {}, body))).toBe('1.0');
  const provided = await build('', {}, 'import loguru\nfrom pydantic import BaseModel\ndef run():\n    return 1\n');
  expect(provided).toMatchObject({
    ok: false,
    problem: { detail: expect.stringMatching(/^src imports (loguru|pydantic)/) },
  });
});
