import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hostileZip } from '../escapes/hostile-zip.ts';
import { openBench, type Bench } from '../testing/bench.ts';
import { openPackageIndex, wheelOf, type PackageIndex } from '../testing/package-index.ts';
import { sourceOf } from '../testing/source-distribution.ts';
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
beforeEach(() => {
  index.files = new Map();
});

let number = 0;
const build = async (requirements: string, request: BuildRequest = { sourcePackages: true }): Promise<BuildOutcome & { log: string }> => {
  const content = `# ${++number}\nimport alpha\ndef run():\n    return alpha.VALUE\n`;
  const archive = hostileZip([{ name: 'src/program.py', content }, { name: 'requirements.txt', content: requirements }]);
  const digest = createHash('sha256').update(archive).digest('hex');
  const log: string[] = [];
  const onLine = ({ message }: { message: string }): void => void log.push(message);
  const outcome = await builder.build(Readable.from([archive]), digest, onLine, new AbortController().signal, request);
  return { ...outcome, log: log.join('\n') };
}; // prettier-ignore
const valueOf = async (outcome: BuildOutcome): Promise<unknown> => {
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  const folder = (path: string): string => join(bench.dataDir, 'runtime', path);
  const { source, layer, imports } = outcome.built;
  return bench.result({ sourceDir: folder(source), layerDir: folder(layer ?? ''), imports });
};
const detailOf = (outcome: BuildOutcome): string => (outcome.ok ? '' : outcome.problem.detail);

test('a source package is built when the service asks for it, and only then; its own demands are resolved as well', async () => {
  index.files = new Map([sourceOf('alpha', '1.2', 'from beta import VALUE', 'pass', 'Requires-Dist: beta'), await wheelOf('beta', '3.0', 'VALUE = 3')]);
  expect(detailOf(await build('alpha>=1\n', {}))).toMatch(/line 1: alpha exists as source code only.*"sourcePackages": true/);
  const outcome = await build('alpha>=1\n');
  expect(await valueOf(outcome)).toBe(3);
  expect(outcome.log).toContain('Building alpha 1.2 from its source code.');
  expect(outcome).toMatchObject({
    built: {
      resolved: {
        packages: [expect.stringMatching(/^beta==3\.0 --hash/)],
        sources: [expect.stringMatching(/^alpha==1\.2 --hash=sha256:[0-9a-f]{64}$/)],
      },
    },
  });
}); // prettier-ignore

test('it is built again from the same source, or not at all', { timeout: 120_000 }, async () => {
  index.files = new Map([sourceOf('alpha', '2.0', 'VALUE = 2')]);
  const first = await build('alpha\n');
  if (!first.ok) throw new Error(first.problem.detail);
  const { resolved, layer } = first.built;
  const request = { resolved: resolved ?? null, sourcePackages: true };
  const folder = join(bench.dataDir, 'runtime', layer ?? '');
  rmSync(folder, { recursive: true, force: true });
  expect(await valueOf(await build('alpha\n', request))).toBe(2);
  expect(existsSync(folder)).toBe(true);
  rmSync(folder, { recursive: true, force: true });
  index.files = new Map([sourceOf('alpha', '2.0', 'VALUE = "other"')]);
  expect(detailOf(await build('alpha\n', request))).toMatch(/other source code for alpha 2\.0/);
});

test("its code runs without a network, and sees nothing of the operator's index", { timeout: 120_000 }, async () => {
  const look = `
import socket
found = [name for name, value in os.environ.items() if "PIP_INDEX" in name or "127.0.0.1" in value or "operator" in value]
for place in ("/build", "/app", "/deps", "/index"):
    if os.path.exists(place):
        found.append(place)
try:
    socket.create_connection(("127.0.0.1", ${new URL(index.url).port}), 2)
    found.append("index")
except OSError:
    pass
raise RuntimeError("found " + repr(found))`.trim();
  index.files = new Map([sourceOf('alpha', '1.0', 'VALUE = 1', look)]);
  const outcome = await build('alpha\n');
  expect(detailOf(outcome)).toMatch(/^alpha 1\.0 could not be built from its source code: RuntimeError: found \[\]$/);
  const seen = outcome.log + detailOf(outcome);
  expect(index.secrets.filter((one) => seen.includes(one))).toEqual([]);
});

test.each([
  ['needs a compiler', `raise RuntimeError("error: command 'gcc' failed: No such file or directory")`, /alpha 1\.0 .*has to be compiled, .*no compiler/],
  ['wants the network', 'import urllib.request\nurllib.request.urlopen("http://example.org")', /alpha 1\.0 .*wants to reach the network/],
  ['raises', 'raise ValueError("no such platform")', /alpha 1\.0 could not be built from its source code: ValueError: no such platform/],
  ['ends Python', 'os._exit(3)', /alpha 1\.0 could not be built from its source code: /],
])('the message names the package whose build %s', { timeout: 120_000 }, async (_what, whileBuilt, detail) => {
  index.files = new Map([sourceOf('alpha', '1.0', 'VALUE = 1', whileBuilt)]);
  expect(detailOf(await build('alpha\n'))).toMatch(detail);
}); // prettier-ignore

test.each([
  ['an address', ['evil @ https://example.org/evil.whl']],
  ['an option', ['--index-url https://example.org']],
])('a source package whose build wants %s is refused', { timeout: 120_000 }, async (_what, requires) => {
  const [file, bytes] = sourceOf('alpha', '1.0', 'VALUE = 1', 'pass', '', requires);
  index.files = new Map([[file, bytes]]);
  expect(detailOf(await build('alpha\n'))).toMatch(
    /pyproject\.toml of alpha 1\.0 wants for its build what cannot be had here/,
  );
});
