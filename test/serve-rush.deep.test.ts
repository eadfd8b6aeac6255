import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ket, ketProcess } from '@kethub/cli/testing/ket';
import { call, localServers, logOf, processesIn, resultOf, statusOf } from './ket/served.ts';

vi.setConfig({ testTimeout: 300_000 });

const { root, project, serve } = localServers();
const isRoot = process.getuid?.() === 0;
const system = ['--python', '/usr/bin/python3'];

test('1,000 executions are found at once after their POST, while all but one wait', async () => {
  const program = 'import time\ndef run(data):\n    time.sleep(600)\n';
  const { url } = await serve(project({ 'src/program.py': program }), ['--mode', 'paths', '--at-once', '1', ...system]);
  const first = await call(url, { data: 0 }, '');
  const seen = new Map<string, number>();
  for (let count = 1; count <= 1_000; count++) {
    const { id } = await call(url, { data: count }, '');
    const answer = await fetch(`${url}${id}`);
    const { status } = (await answer.json()) as { status: string };
    const shown = `${answer.status} ${status}`;
    seen.set(shown, (seen.get(shown) ?? 0) + 1);
    await fetch(`${url}${id}/cancel`, { method: 'PUT' });
  }
  expect([...seen]).toEqual([['200 PENDING', 1_000]]);
  expect(['PENDING', 'RUNNING']).toContain(await statusOf(url, first.id));
});

test('after 100 saves in about a second the last one is used, and a call in between uses what was saved before it', async () => {
  const folder = project({ 'src/program.py': 'def run(): return {"save": 0}\n' });
  const { url } = await serve(folder, ['--mode', 'paths', ...system]);
  const calls: Promise<readonly [number, string, unknown]>[] = [];
  for (let count = 1; count <= 100; count++) {
    // As editors save: the new file takes the place of the old one.
    const draft = path.join(folder, '.kethub/draft.py');
    writeFileSync(draft, `def run(): return {"save": ${count}}\n`);
    renameSync(draft, path.join(folder, 'src/program.py'));
    if (count % 20 === 0)
      calls.push(
        call(url, {}).then(async ({ id, status }) => [count, status, (await resultOf(url, id))['save']] as const),
      );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const [count, status, save] of await Promise.all(calls)) {
    expect([count, status]).toEqual([count, 'SUCCEEDED']);
    expect(save).toBeGreaterThanOrEqual(count);
  }
  expect(await resultOf(url, (await call(url, {})).id)).toMatchObject({ save: 100 });
  // Copies of the code that nothing uses are removed.
  expect(readdirSync(path.join(folder, '.kethub/serve/runtime/sources')).length).toBeLessThan(20);
});

describe.each(['sandbox', 'namespace', 'paths'])('mode %s', (mode) => {
  test('two runs at once write the same file name, each its own file', async () => {
    const program = `
import os, time
from kethub import DataPool
def run(word, until, pool: DataPool):
    with open("/var/runtime/output/same.txt", "w") as file: file.write(word)
    print("written", flush=True)
    # The sandbox sees the data pool, a plain process the path.
    while not (os.path.exists(until) or "go" in pool.list_files()): time.sleep(0.05)
    return {"read": open("/var/runtime/output/same.txt").read()}
`;
    const folder = project({ 'src/program.py': program, 'datapool/pool/keep': '' });
    const until = path.join(folder, 'datapool/pool/go');
    const { url } = await serve(folder, ['--mode', mode, ...system]);
    const pool = { id: '01900000-0000-7000-8000-000000000000', ref: 'DATAPOOL' };
    const words = ['first', 'the second'];
    const ids = await Promise.all(words.map(async (word) => (await call(url, { word, until, pool }, '')).id));
    for (const id of ids) await expect.poll(() => logOf(url, id), { timeout: 120_000 }).toContain('written');
    writeFileSync(until, '');
    for (const [index, id] of ids.entries()) {
      await expect.poll(() => statusOf(url, id), { timeout: 120_000 }).toBe('SUCCEEDED');
      expect(await resultOf(url, id)).toMatchObject({ read: words[index] });
      expect(await (await fetch(`${url}${id}/result/same.txt`)).text()).toBe(words[index]);
    }
  });

  test('a port that is taken ends ket serve, with its lock and its processes', async () => {
    const one = await serve(project({ 'src/program.py': 'def run(): return {}\n' }), ['--mode', 'paths', ...system]);
    const folder = project({ 'src/program.py': 'def run(): return {}\n' });
    const args = ['serve', folder, '--mode', mode, '--port', new URL(one.url).port, ...system];
    const { code, stderr } = await ketProcess(args, { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is taken by another program')]);
    expect(readdirSync(path.join(folder, '.kethub/serve'))).not.toContain('pid');
    await expect.poll(() => processesIn(folder), { timeout: 60_000 }).toEqual([]);
  });
});

test('a project with a planqk.json runs with ket serve and ket test, which change no file of it', async () => {
  const planqk = {
    name: 'Sum of values',
    descriptionFile: 'README.md',
    resources: { cpu: 1, memory: 2 },
    runtime: 'PYTHON_TEMPLATE',
    serviceId: '0b6a8b9c-0000-4000-8000-000000000000',
  };
  const folder = project({
    'planqk.json': JSON.stringify(planqk),
    'README.md': '# Sums\n',
    '.planqkignore': 'notes\n',
    'notes/private.txt': 'not uploaded',
    'environment.yml': 'name: sums\ndependencies:\n  - python=3.11\n  - pip\n  - pip:\n      - six==1.16.0\n',
    'src/__init__.py': '',
    'src/libs/__init__.py': '',
    'src/libs/sums.py': 'import six\ndef total(values): return sum(values) if six.PY3 else None\n',
    'src/program.py':
      'from .libs.sums import total\ndef run(data, params):\n    return {"sum": total(data["values"]) * params["factor"]}\n',
    'input/data.json': '{"values": [1, 2, 3]}',
    'input/params.json': '{"factor": 10}',
    'test/default/expected.json': '{"sum": 60}',
  });
  const before = treeOf(folder);
  const { url, child } = await serve(folder);
  const input = { data: { values: [1, 2] }, params: { factor: 2 } };
  expect(await resultOf(url, (await call(url, input)).id)).toMatchObject({ sum: 6 });
  const { info } = (await (await fetch(`${url}openapi.json`)).json()) as { info: { title: string } };
  expect(info.title).toBe('Sum of values');
  child.kill('SIGINT');
  const tested = await ket(['test', folder], { folder });
  expect([tested.code, tested.stderr]).toEqual([0, expect.stringMatching(/ok +default/)]);
  expect(treeOf(folder)).toEqual(before);
});

test.skipIf(!isRoot)('a file system that ket may only read is served, and a save in it is used', async () => {
  const folder = project({ 'src/program.py': 'def run(): return {"word": "one"}\n', 'input/data.json': '1' });
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  const mounts = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"`;
  const main = path.resolve(import.meta.dirname, '../apps/cli/src/main.ts');
  const readOnly = ['unshare', '--mount', 'sh', '-c', mounts, folder, process.execPath, main];
  const { url } = await serve(folder, [...system], { ket: readOnly });
  expect(await resultOf(url, (await call(url, {})).id)).toMatchObject({ word: 'one' });
  writeFileSync(path.join(folder, 'src/program.py'), 'def run(): return {"word": "two"}\n');
  const word = async () => (await resultOf(url, (await call(url, {})).id))['word'];
  await expect.poll(word, { timeout: 60_000 }).toBe('two');
  expect(readdirSync(folder)).not.toContain('.kethub');
});

/** Names and contents of all files of a project, without the folder of ket. */
function treeOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(path.join(folder, '.kethub')));
  return Object.fromEntries(files.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]));
}
