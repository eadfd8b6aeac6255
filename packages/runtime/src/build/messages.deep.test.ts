import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { hostileZip } from '../escapes/hostile-zip.ts';
import { openBench, type Bench } from '../testing/bench.ts';
import { openPackageIndex, wheelOf, type PackageIndex } from '../testing/package-index.ts';
import { sourceOf } from '../testing/source-distribution.ts';
import { createBuilder, type BuildRequest } from './index.ts';

vi.setConfig({ testTimeout: 120_000 });

let bench: Bench;
let index: PackageIndex;
beforeAll(async () => {
  bench = await openBench();
  index = await openPackageIndex();
});
afterAll(async () => {
  await index.close();
  await bench.close();
});
beforeEach(() => {
  index.status = 0;
  index.files = new Map();
  index.attributes = new Map();
});

let number = 0;
async function problemOf(requirements: string, request: BuildRequest = {}, url = index.url): Promise<{ code: string; detail: string }> {
  const environment = { PIP_INDEX_URL: url, PIP_RETRIES: '0', PIP_TIMEOUT: '5', HOME: '/nonexistent' };
  const builder = createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime, environment });
  const content = `# ${++number}\ndef run():\n    return 1\n`;
  const archive = hostileZip([{ name: 'src/program.py', content }, { name: 'requirements.txt', content: requirements }]);
  const digest = createHash('sha256').update(archive).digest('hex');
  const outcome = await builder.build(Readable.from([archive]), digest, () => undefined, new AbortController().signal, request);
  if (outcome.ok) throw new Error('it was built');
  return outcome.problem;
} // prettier-ignore

/**
 * The fault, the files of the index, the requirements, the code, and the message: the package, the place that demands
 * it, the reason.
 */
const CLASSES: readonly [string, () => Promise<void> | void, string, string, RegExp][] = [
  [
    'no such package',
    () => undefined,
    '# first\nnosuch\n',
    'package-not-found',
    /^requirements\.txt, line 2: the package index has no package nosuch .*[Ss]pelling/,
  ],
  [
    'no such version',
    () => put(wheelOf('alpha', '1.0', '')),
    'alpha==9\n',
    'package-not-found',
    /^requirements\.txt, line 1: no version of alpha .* fits `alpha==9`\. .*: 1\.0\./,
  ],
  [
    'only for another Python, by metadata',
    () => {
      put(wheelOf('alpha', '2.0', ''));
      index.attributes.set('alpha-2.0-py3-none-any.whl', 'data-requires-python="&gt;=3.99"');
    },
    'alpha\n',
    'package-not-found',
    /^requirements\.txt, line 1: .*alpha.*Versions for another Python: 2\.0 \(Python >=3\.99\)/,
  ],
  [
    'only for another Python, by its file',
    async () => {
      const [, bytes] = await wheelOf('alpha', '1.0', '');
      index.files.set('alpha-1.0-cp27-cp27m-manylinux1_x86_64.whl', bytes);
    },
    'alpha\n',
    'package-not-found',
    /^requirements\.txt, line 1: alpha has wheels for other versions of Python or machines only: 1\.0 for cp27/,
  ],
  [
    'source only',
    () => put(sourceOf('alpha', '1.5', '')),
    'alpha==1.5\n',
    'package-not-found',
    /^requirements\.txt, line 1: alpha 1\.5 exists as source code only.*sourcePackages/,
  ],
  [
    'source only, of a package that another demands',
    async () => {
      put(wheelOf('alpha', '1.0', '', 'Requires-Dist: beta>=2'));
      put(sourceOf('beta', '2.0', ''));
    },
    'alpha\n',
    'package-not-found',
    /demanded by alpha: beta exists as source code only/,
  ],
  [
    'no such package, of one that another demands',
    () => put(wheelOf('alpha', '1.0', '', 'Requires-Dist: gamma>=1')),
    'alpha\n',
    'package-not-found',
    /demanded by alpha: the package index has no package gamma/,
  ],
  [
    'another hash than the index says',
    () => {
      put(wheelOf('alpha', '1.0', ''));
      index.attributes.set('alpha-1.0-py3-none-any.whl', 'sha256');
    },
    'alpha\n',
    'install-failed',
    /sends for alpha is not the one that it lists: their SHA-256 differ/,
  ],
  [
    'two requirements in conflict',
    () => {
      put(wheelOf('alpha', '1.0', '', 'Requires-Dist: beta<2'));
      put(wheelOf('beta', '1.0', ''));
      put(wheelOf('beta', '2.0', ''));
    },
    'beta>=2\nalpha\n',
    'packages-conflict',
    /^requirements\.txt, line 1 and 2: .*beta>=2.*alpha 1\.0 depends on beta<2/,
  ],
  [
    'two that others demand in conflict',
    () => {
      put(wheelOf('alpha', '1.0', '', 'Requires-Dist: beta<2'));
      put(wheelOf('gamma', '1.0', '', 'Requires-Dist: beta>=2'));
      put(wheelOf('beta', '1.0', ''));
      put(wheelOf('beta', '2.0', ''));
    },
    'alpha\ngamma\n',
    'packages-conflict',
    /^requirements\.txt, line 1 and 2: .*alpha 1\.0 depends on beta<2.*gamma 1\.0 depends on beta>=2/,
  ],
  [
    'yanked',
    () => {
      put(wheelOf('alpha', '1.0', ''));
      put(wheelOf('alpha', '2.0', ''));
      index.attributes.set('alpha-2.0-py3-none-any.whl', 'data-yanked="broken on Sundays"');
    },
    'alpha>=2\n',
    'package-not-found',
    /^requirements\.txt, line 1: .*alpha.*withdrawn.*2\.0/,
  ],
  [
    'an index that answers errors',
    () => {
      index.status = 500;
    },
    'alpha\n',
    'index-unreachable',
    /package index/,
  ],
];

function put(made: Promise<[string, Buffer]> | [string, Buffer]): void {
  pending.push(Promise.resolve(made).then(([name, bytes]) => void index.files.set(name, bytes)));
}
const pending: Promise<void>[] = [];

test.each(CLASSES)('%s: the message names the package and why', async (_what, prepare, requirements, code, detail) => {
  await prepare();
  await Promise.all(pending.splice(0));
  const problem = await problemOf(requirements);
  expect(problem.detail).toMatch(detail);
  expect(problem.code).toBe(code);
});

test('an index that cannot be reached is no missing package', async () => {
  const problem = await problemOf('alpha\n', {}, 'http://127.0.0.1:9/simple');
  expect(problem).toMatchObject({ code: 'index-unreachable', detail: expect.stringMatching(/did not answer.*Errno/) });
});
