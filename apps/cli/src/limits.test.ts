import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const service = { id: 's1', name: 'Solver', slug: 'solver', versions: [] };
const none = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
const subscription = {
  id: 'p1',
  version: '1.0.0',
  subscriber: { type: 'USER', id: 'u2' },
  createdAt: '2026-01-01 00:00:00',
  set: { ...none, requestsPerMinute: 60 },
  limits: { requestsPerMinute: 60, executionsPerDay: 10, executionsPerMonth: null },
  usage: { executionsToday: 4, executionsThisMonth: null },
};

async function run(...args: string[]) {
  const { url, requests } = await standInPlatform({
    'GET /api/services': { status: 200, body: [service] },
    'GET /api/services/s1/limits': { status: 200, body: { ...none, executionsPerDay: 10 } },
    'GET /api/services/s1/subscriptions': { status: 200, body: [subscription] },
    'PUT /api/services/s1/limits': { status: 200, body: { ...none, executionsPerDay: 10, executionsPerMonth: 100 } },
    'PUT /api/services/s1/subscriptions/p1/limits': { status: 200, body: none },
  });
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  return { ...(await ket(['limits', ...args], { folder: await folderWith(), environment })), requests };
}

test('limits are shown with what is used of them', async () => {
  const { code, stdout, stderr } = await run('show', 'solver');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Every subscription: 10 executions a day.')]);
  expect(stdout).toMatch(/^p1 +1\.0\.0 +user u2 +60 +4 of 10 +–$/m);
});

test('limits are set for all subscriptions or one', async () => {
  const all = await run('set', 'solver', '--per-month', '100');
  expect(all).toMatchObject({ code: 0, stdout: 'Every subscription: 10 executions a day, 100 executions a month.\n' });
  const one = await run('set', 'solver', '--subscription', 'p1', '--requests-per-minute', 'none');
  expect(one).toMatchObject({ code: 0, stdout: 'Subscription p1: no limit of its own.\n' });
  expect(one.requests.at(-1)).toBe('PUT /api/services/s1/subscriptions/p1/limits');
});

test.each([
  [['set', 'solver'], 'Which limit?'],
  [['set', 'solver', '--per-day', '0'], 'whole number'],
  [['set', 'solver', '--subscription', 'p9', '--per-day', '1'], 'no subscription p9'],
])('%j is a mistake that is explained', async (args, text) => {
  const { code, stderr, requests } = await run(...args);
  expect([code, stderr]).toEqual([exitCodes.usage.code, expect.stringContaining(text)]);
  expect(requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
});
