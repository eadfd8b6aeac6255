import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LIMITS } from '../testing/bench.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';
import { Claims, inputOf, keepJob, readJob, type KeptJob } from './claims.ts';

const root = mkdtempSync(join(os.tmpdir(), 'kethub-claims-'));
const transfers = new Transfers();
const token = 'a'.repeat(64);
const [one, other] = ['1', '2'].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [string, string];
let port: number;

beforeAll(async () => {
  port = await transfers.listen(0, null);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

function claimsOf(id: string, asks = true): { folder: string; claims: Claims } {
  const folder = join(root, id);
  mkdirSync(folder);
  writeFileSync(inputOf(folder), '{}');
  const kept = {
    job: id,
    limits: LIMITS,
    startedAt: 1,
    tokenHash: hashOf(token),
    parts: {},
    pools: [],
    poolFolders: {},
    asks,
  };
  keepJob(folder, kept as unknown as KeptJob);
  return { folder, claims: new Claims(folder, id, kept as unknown as KeptJob, transfers) };
}
const ask = async (id: string, pod: string, what: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': pod };
  const answer = await fetch(`http://127.0.0.1:${port}/pods/${id}/${what}`, { method: 'POST', headers });
  await answer.text();
  return answer.status;
};

test('an execution is given up while its pod still fetches the input, and then never begins', async () => {
  const { folder, claims } = claimsOf('fetching');
  expect(await ask('fetching', one, 'claim')).toBe(200);
  expect(claims.refuse()).toBe(true);
  expect(await ask('fetching', one, 'begin')).toBe(409);
  expect(readJob(folder)?.begunAt).toBeUndefined();
});

test('a program that has begun is never taken for one that has not, also by the next runner', async () => {
  const { folder, claims } = claimsOf('begun');
  expect(await ask('begun', one, 'claim')).toBe(200);
  expect(await ask('begun', other, 'begin')).toBe(409);
  expect(await ask('begun', one, 'begin')).toBe(200);
  expect(await claims.begins).toBe(0);
  expect(existsSync(inputOf(folder))).toBe(false);
  // The answer was lost, so the pod asks again.
  expect(await ask('begun', one, 'begin')).toBe(200);
  expect(claims.refuse()).toBe(false);
  claims.close();
  // Somebody has set the clock meanwhile, which is no run time.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  const next = new Claims(folder, 'begun', readJob(folder) as KeptJob, transfers);
  expect(next.refuse()).toBe(false);
  expect(next.pod).toBe(one);
  expect(await next.begins).toBeLessThan(3_600_000);
});

test('a pod of an older version, which does not ask, has begun when it claims', async () => {
  const { folder, claims } = claimsOf('older', false);
  expect(await ask('older', one, 'claim')).toBe(200);
  expect(claims.refuse()).toBe(false);
  claims.close();
  // It is taken over while it still fetches its input.
  const { begunAt: _before, ...claimed } = readJob(folder) as KeptJob;
  const next = new Claims(folder, 'older', claimed, transfers);
  expect(next.refuse()).toBe(false);
  expect(existsSync(inputOf(folder))).toBe(true);
});

test('a pod that nobody knows asks again while executions of an earlier runner are taken over', async () => {
  transfers.isTakingOver = true;
  expect(await ask('unknown', one, 'done')).toBe(503);
  transfers.isTakingOver = false;
  expect(await ask('unknown', one, 'done')).toBe(404);
});
