import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ServiceExecution } from '@kethub/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket, type KetOutcome } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { testEngine } from '@kethub/runtime/testing/images';
import { keepPythons, takeKeptPythons } from '@kethub/runtime/testing/pythons';

// Projects in the style of published ones, each as its author would have left it. `ket up` and `ket run` take them
// unchanged. They need the package index and, for other versions of Python, their registries. Downloads take most of
// the time, so some projects are deployed at the same time.
vi.setConfig({ testTimeout: 600_000, maxConcurrency: 3 });

const run = promisify(execFile);
const corpus = path.join(import.meta.dirname, 'corpus');
const password = 'correct horse battery staple';
let platform: TestKethub;
let home: string;

beforeAll(async () => {
  const settings = { KETHUB_CONTAINER_ENGINE: testEngine ?? 'off' };
  platform = await startTestKethub(sqlite, settings);
  takeKeptPythons(path.join(platform.dataDir, 'runtime'));
  const person = { username: 'grace', email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper' };
  await platform.kethub.identity.createUser({ ...person, password, status: 'APPROVED' });
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  const login = ['login', url, '--username', 'grace', '--password-stdin'];
  expect((await inFolder(home, login, `${password}\n`)).code).toBe(0);
  await cp(corpus, path.join(home, 'corpus'), { recursive: true });
});
afterAll(async () => {
  keepPythons(path.join(platform.dataDir, 'runtime'));
  await platform.close();
  await rm(home, { recursive: true });
});

function inFolder(folder: string, args: readonly string[], input = ''): Promise<KetOutcome> {
  return ket(args, { folder, input, environment: { KETHUB_CONFIG_DIR: path.join(home, '.ket') } });
}

interface Shown {
  readonly execution: ServiceExecution;
  readonly result: unknown;
  readonly files: readonly { name: string }[];
}

/** Deploys a project and runs it with its own input. */
async function deployAndRun(
  project: string,
): Promise<Shown & { upSaid: string; runSaid: string; code: number | null }> {
  const folder = path.join(home, 'corpus', project);
  const up = await inFolder(folder, ['up']);
  expect(up.code, up.stderr).toBe(0);
  const parts = (await readdir(path.join(folder, 'input'))).toSorted();
  const options = parts.flatMap((file) => [`--${path.basename(file, '.json')}`, path.join('input', file)]);
  const run = await inFolder(folder, ['run', '--json', ...options]);
  return { ...run.json<Shown>(), upSaid: up.stderr, runSaid: run.stderr, code: run.code };
}

test.concurrent.each<[string, unknown]>([
  ['response-object', { result: { heads: 64, tails: 0 }, metadata: { seconds: expect.any(Number) } }],
  ['pydantic-models', { value: 7, chosen: ['a', 'b'], weights: { a: 3, b: 2 } }],
  ['conda-environment', { values: [2, 3], largest: 3, rank: 2, python: '3.10' }],
  ['coin-toss', { counts: expect.any(Object), shots: 10 }],
  ['older-template', { result: { sum: 3 }, metadata: { execution_time: 0.1 } }],
  ['scipy-optimiser', { x: [1, 1, 1], success: true, evaluations: expect.any(Number) }],
  ['qiskit-bell', { counts: { '000': expect.any(Number), '111': expect.any(Number) }, depth: expect.any(Number), python: '3.12' }],
  ['annealing-qubo', { energy: -1, samples: expect.arrayContaining([{ x: 1, y: 0 }, { x: 0, y: 1 }]) }],
  ['source-only', { '--depth': '3', '<graph>': 'ring' }],
  ['result-files', { count: 5 }],
  ['bundled-data', { distance: 5, notebooks: false }],
  ['main-module', { primes: [2, 3, 5, 7, 11, 13, 17, 19], level: 'none' }],
  [
    'typed-values',
    {
      amplitudes: [{ bits: '0', value: [expect.closeTo(Math.SQRT1_2), 0] }, { bits: '1', value: [expect.closeTo(Math.SQRT1_2), 0] }],
      basis: 'z', year: 2024, labels: ['a', 'b'], price: '0.10', shots: [], python: '3.13',
    },
  ],
])('%s is deployed and gives its result', async (project, result) => {
  const shown = await deployAndRun(project);
  expect(shown.execution).toMatchObject({ status: 'SUCCEEDED' });
  expect(shown.result).toEqual(result);
  if (project === 'result-files') expect(shown.files.map(({ name }) => name).toSorted()).toEqual(['plot.svg', 'points.csv']);
  if (project === 'older-template') expect(shown.upSaid).toContain('left out: environment.yml: loguru: requirements.txt counts');
  if (project === 'conda-environment') expect(shown.upSaid).toContain('environment.yml becomes a .python-version: 3.10');
}); // prettier-ignore

test.concurrent('error-object is deployed, and its error object is the cause of the failure', async () => {
  const { execution, result } = await deployAndRun('error-object');
  expect(execution).toMatchObject({ status: 'FAILED' });
  expect(result).toMatchObject({ code: '400', detail: '3 nodes have no perfect matching' });
}); // prettier-ignore

/** Compiles a project before its upload, as its author would, so that no registry needs a base image. */
const compilers: Readonly<Record<string, { needs: string; make: (folder: string) => Promise<unknown> }>> = {
  'docker-shell': {
    needs: '/bin/busybox',
    make: (folder) => run('cp', ['/bin/busybox', folder]),
  },
  'docker-c': {
    needs: '/usr/bin/gcc',
    make: (cwd) => run('gcc', ['-O2', '-static', '-o', 'program', 'program.c'], { cwd }),
  },
  'docker-go': {
    needs: '/usr/local/go/bin/go',
    make: (cwd) => {
      // Kept between test runs, as compiling the standard library takes most of a minute.
      const GOCACHE = path.join(import.meta.dirname, '../.runtime/go-cache');
      const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOCACHE };
      return run('/usr/local/go/bin/go', ['build', '-o', 'program', '.'], { cwd, env });
    },
  },
};

for (const [project, { needs, make }] of Object.entries(compilers))
  test
    .skipIf(testEngine === null || !existsSync(needs))
    .concurrent(`${project} is deployed and gives its result`, async () => {
      await make(path.join(home, 'corpus', project));
      const { execution, result, runSaid } = await deployAndRun(project);
      expect(execution).toMatchObject({ status: 'SUCCEEDED' });
      expect(result).toEqual({ total: 55 });
      expect(runSaid).toContain('summed');
    });

test('every project of the corpus is deployed by one of these tests', async () => {
  const tested = [...Object.keys(compilers), 'error-object', 'response-object', 'pydantic-models', 'conda-environment', 'scipy-optimiser'];
  const more = ['qiskit-bell', 'annealing-qubo', 'result-files', 'bundled-data', 'main-module', 'typed-values', 'source-only', 'coin-toss', 'older-template'];
  expect(await readdir(corpus)).toEqual([...tested, ...more].toSorted());
}); // prettier-ignore
