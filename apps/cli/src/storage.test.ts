import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const id = '019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11';
const usage = {
  usedBytes: 3 * 1024 * 1024,
  quotaBytes: 1024 ** 3,
  inputBytes: 0,
  resultBytes: 1024 * 1024,
  fileBytes: 2 * 1024 * 1024,
  logBytes: 0,
  dataPoolBytes: 0,
  serviceBytes: 0,
  keepDays: 90,
  retention: { keepDays: 30, services: [] },
};
const execution = { id, status: 'SUCCEEDED', createdAt: '2026-01-01 00:00:00' };

async function run(...args: string[]) {
  const { url, requests } = await standInPlatform({
    'GET /api/storage': { status: 200, body: usage },
    'PUT /api/storage/retention': { status: 200, body: usage },
    'PUT /api/storage/quotas/USER/u1': {
      status: 200,
      body: { ownerType: 'USER', ownerId: 'u1', usedBytes: 0, quotaBytes: 5 * 1024 ** 3 },
    },
    'POST /api/storage/recount': { status: 200, body: { owners: 2, corrected: [] } },
    [`GET /api/service-executions/${id}`]: { status: 200, body: execution },
    [`PUT /api/service-executions/${id}/cancel`]: { status: 200, body: execution },
    [`DELETE /api/service-executions/${id}`]: { status: 204 },
  });
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  return { ...(await ket(args, { folder: await folderWith(), environment })), requests };
}

test('what is kept is shown by what it belongs to, with the quota and the times', async () => {
  const { code, stdout, stderr } = await run('storage', 'show');
  expect(code).toBe(0);
  expect(stderr).toContain('for 90 days after the end');
  expect(stderr).toContain('You have chosen 30 days.');
  expect(stdout).toMatch(/^result files +2 MiB$/m);
  expect(stdout).toMatch(/^quota +1 GiB$/m);
});

test('a time is chosen, and an execution deleted, also one that still runs', async () => {
  expect((await run('storage', 'keep', '30')).requests.at(-1)).toBe('PUT /api/storage/retention');
  const { code, stdout, requests } = await run('executions', 'delete', id);
  expect([code, stdout]).toEqual([0, `${id} is deleted.\n`]);
  expect(requests.at(-1)).toBe(`DELETE /api/service-executions/${id}`);
  expect((await run('executions', 'delete', '--cancel', id)).requests.slice(-2)).toEqual([
    `PUT /api/service-executions/${id}/cancel`,
    `DELETE /api/service-executions/${id}`,
  ]);
});

test('administrators allow another quota, and have all counted anew', async () => {
  expect((await run('admin', 'quota', 'u1', '5GB')).stdout).toBe('u1 may keep 5 GiB, and keeps 0 bytes.\n');
  expect((await run('admin', 'recount-storage')).stderr).toContain('Counted 2 owners; 0 counts were wrong');
});

test.each([
  [['storage', 'keep', '0'], 'no number of days'],
  [['admin', 'quota', 'u1', 'lots'], 'no size'],
])('%j is a mistake that is explained', async (args, text) => {
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([exitCodes.usage.code, expect.stringContaining(text)]);
});
