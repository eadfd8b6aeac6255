import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DataPool, DataPoolFile } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Data pools as a researcher uses them. Each ket is a process of its own, against a whole platform. The tests build on
// each other, in this order.

const program = `
from kethub.datapool import DataPool


def run(data, table: DataPool):
    return {"lines": len(table.open("data.csv").readlines()), "files": list(table.list_files())}
`;
let platform: TestKethub;
let folder: string;
let environment: Record<string, string>;
let bob: string;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  const { value } = await platform.client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  environment = { KET_URL: url, KET_TOKEN: value ?? '' };
  bob = (await (await platform.signIn('bob')).client.getMe()).id;
  folder = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  await writeFile(path.join(folder, 'data.csv'), '1,2\n'.repeat(1_000_000));
  await writeFile(path.join(folder, 'empty.txt'), '');
});
afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true });
});

const datapool = (...args: string[]) => ket(['datapool', ...args], { folder, environment });

test('create, upload with progress, list', async () => {
  expect((await datapool('list')).stderr).toContain('No data pools yet.');
  expect((await datapool('create', 'Table', '--description', 'of numbers')).code).toBe(0);
  const uploaded = await datapool('upload', 'table', 'data.csv', 'empty.txt', '--media-type', 'text/csv');
  expect([uploaded.code, uploaded.stdout]).toEqual([0, '']);
  expect(uploaded.stderr).toMatch(/Uploading data\.csv: 0 % of 3\.8 MiB\n(.*\n)*.*: 90 %/);
  expect(uploaded.stderr).toContain('Uploaded data.csv (3.8 MiB)');
  expect((await datapool('list', '--json')).json()).toMatchObject([{ name: 'Table', role: 'OWNER', files: 2 }]);
  const files = (await datapool('files', 'Table', '--json')).json<DataPoolFile[]>();
  expect(files.map(({ name, bytes, mediaType }) => [name, bytes, mediaType])).toEqual([
    ['empty.txt', 0, 'text/csv'],
    ['data.csv', 4_000_000, 'text/csv'],
  ]);
});

test('a file that is there is replaced, but not with --keep', async () => {
  const kept = await datapool('upload', 'table', 'data.csv', '--name', 'empty.txt', '--keep');
  expect([kept.code, kept.stderr]).toEqual([7, expect.stringContaining('Changed in the meantime')]);
  expect((await datapool('upload', 'table', 'data.csv', '--name', 'copy.csv')).code).toBe(0);
  expect((await datapool('upload', 'table', 'empty.txt', '--name', 'copy.csv', '--json')).json()).toMatchObject([
    { name: 'copy.csv', bytes: 0 },
  ]);
});

test('download brings back what was uploaded', async () => {
  const { code, json } = await datapool('download', 'Table', '--output-dir', 'back', '--json');
  expect([
    code,
    json<{ name: string }[]>()
      .map(({ name }) => name)
      .toSorted(),
  ]).toEqual([0, ['copy.csv', 'data.csv', 'empty.txt']]);
  const [there, back] = await Promise.all(
    ['data.csv', 'back/data.csv'].map((name) => readFile(path.join(folder, name))),
  );
  expect(there && back?.equals(there)).toBe(true);
});

test('a service reads the pool that ket run names', async () => {
  const project = path.join(folder, 'service');
  await mkdir(path.join(project, 'src'), { recursive: true });
  await mkdir(path.join(project, 'input'));
  await writeFile(path.join(project, 'src/__init__.py'), '');
  await writeFile(path.join(project, 'src/program.py'), program);
  await writeFile(path.join(project, 'kethub.json'), '{"name": "Count"}');
  await writeFile(path.join(project, 'input/data.json'), '{"x": 1.0}');
  expect((await ket(['up'], { folder: project, environment })).code).toBe(0);
  const run = await ket(['run', '--data-pool', 'table=Table'], { folder: project, environment });
  expect([run.code, JSON.parse(run.stdout)]).toEqual([
    0,
    { lines: 1_000_000, files: ['copy.csv', 'data.csv', 'empty.txt'] },
  ]);
  const unknown = await ket(['run', '--data-pool', 'table=Nowhere'], { folder: project, environment });
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('There is: Table.')]);
});

test('share, members, unshare', async () => {
  expect((await datapool('share', 'table', bob, '--role', 'maintainer')).stderr).toContain(`${bob} is maintainer`);
  expect((await datapool('members', 'table', '--json')).json()).toMatchObject([{ id: bob, role: 'MAINTAINER' }]);
  expect((await datapool('share', 'table', 'nobody')).code).toBe(4);
  expect((await datapool('unshare', 'table', bob)).code).toBe(0);
  expect((await datapool('members', 'table')).stderr).toContain('is not shared with anybody');
});

test('delete takes files one by one, and a pool that holds some only by force', async () => {
  expect((await datapool('delete', 'table', 'copy.csv', 'empty.txt')).code).toBe(0);
  const refused = await datapool('delete', 'table');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('holds 1 file.')]);
  const second = (await datapool('create', 'table', '--json')).json<DataPool>();
  expect((await datapool('files', 'table')).stderr).toContain('More than one data pool');
  expect((await datapool('delete', second.id)).code).toBe(0);
  expect((await datapool('delete', 'table', '--force')).code).toBe(0);
  expect((await datapool('files', 'table')).code).toBe(4);
});

test('what is no file is refused before anything is sent', async () => {
  await datapool('create', 'table');
  expect((await datapool('upload', 'table', '.')).stderr).toContain('is no file');
  expect((await datapool('upload', 'table', 'missing.csv')).code).toBe(2);
  expect((await datapool('upload', 'table', 'data.csv', 'empty.txt', '--name', 'one')).code).toBe(2);
});
