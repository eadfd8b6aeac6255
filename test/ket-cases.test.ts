import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// The cases of one project, on this machine and on a whole platform.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const program = `
def run(data: int, params: dict = None):
    print("called with", data)
    if data < 0:
        raise ValueError("negative")
    if data == 7:
        return {"value": float("nan")}
    return {"third": data / 3, "big": 2 ** 70 + data, "noise": id(object())}
`;
const files = {
  'kethub.json': '{"name": "thirds"}',
  'src/program.py': program,
  'input/data.json': '4',
  'test/third/input.json': '{"data": 1}',
  'test/third/expected.json': '{"third": 0.3333, "big": 1180591620717411303425}',
  'test/third/options.json': '{"tolerance": 0.001, "ignore": ["/noise"]}',
  'test/fails/input.json': '{"data": -1}',
  'test/fails/options.json': '{"status": "FAILED", "problem": "ValueError"}',
  'test/nan/input.json': '{"data": 7}',
  'test/nan/options.json': '{"status": "FAILED"}',
};
let platform: TestKethub;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  const { value } = await platform.client.createAccessToken({ json: { name: 'ket' } });
  environment = { KET_URL: new URL(platform.kethub.platform.addresses.api).origin, KET_TOKEN: value ?? '' };
  folder = await mkdtemp(path.join(os.tmpdir(), 'ket-cases-'));
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const up = await ket(['up'], { folder, environment });
  expect([up.code, up.stderr]).toEqual([0, up.stderr]);
});
afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true });
});

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), text);
}

const here = ['--mode', 'paths', '--python', '/usr/bin/python3'];

test.each([
  ['this machine', here],
  ['the platform', ['--remote']],
])('cases on %s: tolerance, digits, failures, refused inputs, a report, updates', async (_where, args) => {
  const passed = await ket(['test', '--json', ...args], { folder, environment });
  const { cases } = passed.json<{ cases: { name: string; failures: string[] }[] }>();
  expect(cases.map(({ name, failures }) => [name, failures])).toEqual([
    ['default', []],
    ['fails', []],
    ['nan', []],
    ['third', []],
  ]);
  expect(passed.code).toBe(0);
  await write('test/third/options.json', '{}');
  await write('test/third/expected.json', '{"third": 0.3333, "big": 1180591620717411303424}');
  await write('test/refused/input.json', '{"data": "text"}');
  const differs = await ket(['test', '--junit', 'report.xml', ...args], { folder, environment });
  expect(differs.code).toBe(1);
  expect(differs.stderr).toContain('/third is 0.3333333333333333; expected 0.3333');
  expect(differs.stderr).toContain('/big is 1180591620717411303425; expected 1180591620717411303424');
  expect(differs.stderr).toMatch(/the status is REFUSED \(.*data.*\); expected SUCCEEDED/);
  const report = await readFile(path.join(folder, 'report.xml'), 'utf8');
  expect(report).toContain('tests="5" failures="2"');
  expect(report).toContain('<failure message="/third is');
  expect(report).toContain('called with 1');
  await rm(path.join(folder, 'test/refused'), { recursive: true });
  expect((await ket(['test', '--update', ...args], { folder, environment })).code).toBe(0);
  expect(await readFile(path.join(folder, 'test/third/expected.json'), 'utf8')).toContain('1180591620717411303425');
  for (const name of ['default', 'third', 'nan', 'fails'])
    await rm(path.join(folder, 'test', name), { recursive: true });
  for (const [name, text] of Object.entries(files)) await write(name, text);
});

test('cases of a service that is not on the platform, and without a sign-in, end before they run', async () => {
  const missing = await ket(['test', '--remote'], {
    folder,
    environment: { ...environment, KET_TOKEN: 'ket_pat_wrong' },
  });
  expect(missing.code).toBe(3);
  await write('kethub.json', '{"name": "unknown"}');
  const unknown = await ket(['test', '--remote'], { folder, environment });
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('unknown')]);
});
