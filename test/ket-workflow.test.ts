import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '../apps/cli/src/testing/ket.ts';
import { databases } from '../apps/server/src/testing/databases.ts';
import { startTestKethub, type TestKethub } from '../apps/server/src/testing/kethub.ts';

// What the README of the examples says a newcomer types. The tests build on each other, in this order.
vi.setConfig({ testTimeout: 180_000 });

const examples = path.resolve(import.meta.dirname, '../examples');
let platform: TestKethub;
let home: string;
let environment: Record<string, string>;

beforeAll(async () => {
  const [sqlite] = databases;
  if (!sqlite) throw new Error('There is no database to test with');
  platform = await startTestKethub(sqlite);
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  const { value } = await platform.client.createAccessToken({ name: 'ket' });
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  environment = { KETHUB_CONFIG_DIR: path.join(home, '.ket'), KET_URL: url, KET_TOKEN: value ?? '' };
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

const inFolder = (example: string, args: readonly string[]) =>
  ket(args, { folder: path.join(examples, example), environment });

test('ket up deploys a service and the workflow that calls it; the same again changes nothing', async () => {
  expect((await inFolder('maxcut', ['up'])).code).toBe(0);
  const up = await inFolder('workflow-parallel', ['up', '--json']);
  expect(up.json()).toMatchObject({ version: '1.0.0', state: 'PUBLISHED' });
  const again = await inFolder('workflow-parallel', ['up', '--json']);
  expect(again.json()).toMatchObject({ version: '1.0.0', state: 'PUBLISHED' });
});

test('ket run runs it with the input of the folder, and ket workflow shows it', async () => {
  const ran = await inFolder('workflow-parallel', ['run', '--json']);
  expect([ran.code, ran.json()]).toEqual([
    0,
    expect.objectContaining({ result: expect.objectContaining({ failed: 1 }) }),
  ]);
  const instances = await inFolder('workflow-parallel', ['workflow', 'instances', 'Max-Cut of many graphs', '--json']);
  expect(instances.json()).toMatchObject([{ phase: 'COMPLETED', incidents: 0 }]);
  const incidents = await inFolder('workflow-parallel', ['workflow', 'incidents', 'Max-Cut of many graphs', '--json']);
  expect(incidents.json()).toEqual([]);
});
