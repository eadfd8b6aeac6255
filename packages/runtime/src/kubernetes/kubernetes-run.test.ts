import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import { standInCluster } from '../testing/stand-in-cluster.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';
import { ClusterRefusal } from './api.ts';
import { Claims, keepJob, readJob, type KeptJob } from './claims.ts';
import { KubernetesRun, makeFolders } from './kubernetes-run.ts';
import type { Pod } from './pod.ts';

// The cluster is a stand-in here, which ends pods as real ones do after minutes only.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-run-'));
const transfers = new Transfers();
const token = 'a'.repeat(64);
const uid = '10000000-0000-4000-8000-000000000000';
const cluster = standInCluster();
const { api, listeners, removed } = cluster;
let port: number;

beforeAll(async () => {
  port = await transfers.listen(0, null);
});
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

/** A run whose job is made by `make`; `lacking` counts how often it asked for room. */
function runOf(id: string, make: (() => Promise<void>) | null = () => Promise.resolve(), isOfOtherPlace = false) {
  const folder = join(root, id);
  mkdirSync(folder);
  makeFolders(folder, []);
  const kept = { job: id, limits: LIMITS, startedAt: 1, tokenHash: hashOf(token), parts: {}, pools: [], poolFolders: {}, asks: true } as unknown as KeptJob; // prettier-ignore
  keepJob(folder, kept);
  const counts = { lacking: 0 };
  const options = { ...kept, attempt: 'a', folder, output: join(folder, 'output'), marksEnd: false, leavesFile: false, isOfOtherPlace }; // prettier-ignore
  const run = new KubernetesRun(
    cluster.around(make, { lacksCapacity: () => void counts.lacking++ }),
    new Claims(folder, id, kept, transfers),
    options,
  );
  const lines: string[] = [];
  run.follow(({ message }) => lines.push(message));
  run.start();
  return { run, lines, counts };
}

async function begin(id: string, what = 'begin'): Promise<void> {
  await until('it is followed', () => listeners.has(id));
  const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': uid };
  const answer = await fetch(`http://127.0.0.1:${port}/pods/${id}/${what}`, { method: 'POST', headers });
  expect(answer.status).toBe(200);
}

/** The pod of an execution on a node that was closed, or does not answer. */
const closed = (status: NonNullable<Pod['status']>): Pod => ({
  metadata: { name: 'p', uid, deletionTimestamp: '2026-01-01T00:30:00Z', annotations: { 'kethub.io/attempt': 'a' } },
  status: {
    ...status,
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }],
  },
});

test('an execution on a node that is lost is UNKNOWN when its pod is gone', async () => {
  const { run } = runOf('lost');
  await begin('lost');
  listeners.get('lost')?.(closed({ phase: 'Running' }), uid);
  listeners.get('lost')?.(null, uid);
  expect(await run.ended).toMatchObject({ commandRan: true, lost: true });
});

test('an execution on a node that is closed is FAILED, and told as such', async () => {
  const { run, lines } = runOf('closed');
  await begin('closed');
  const terminated = { exitCode: 143, reason: 'Error' };
  listeners.get('closed')?.(
    closed({ phase: 'Failed', containerStatuses: [{ name: 'program', state: { terminated } }] }),
    uid,
  );
  expect(await run.ended).toMatchObject({ commandRan: true, code: 143 });
  expect(await run.readResult(LIMITS)).toMatchObject({ kind: 'FAILURE', cause: { type: 'NodeClosed' } });
  expect(lines).toEqual([expect.stringMatching(/^Node closed: .* Start the execution again\.$/)]);
});

test('an execution whose runner ended before it let the job begin has not run', async () => {
  vi.spyOn(api, 'find').mockResolvedValue({ metadata: { name: 'any', uid: 'any' }, spec: { suspend: true } });
  const { run, lines } = runOf('forgotten', null);
  expect(await run.ended).toMatchObject({ commandRan: false });
  expect(lines).toEqual(['The program did not begin: the runner ended before it had made all of its job']);
});

test.each([
  ['has not run', false],
  ['is UNKNOWN', true],
])(
  'an execution whose pod was removed while no runner looked %s, if its program had begun: %s',
  async (_what, begun) => {
    const conditions = [{ type: 'Failed', status: 'True' }];
    vi.spyOn(api, 'find').mockResolvedValue({ metadata: { name: 'any', uid: 'any' }, status: { conditions } });
    const id = `removed-${begun}`;
    const { run, lines } = runOf(id, null);
    if (begun) await begin(id);
    expect(await run.ended).toMatchObject(begun ? { commandRan: true, lost: true } : { commandRan: false });
    expect(lines).toEqual(begun ? [] : ['The program did not begin: its pod was removed from the cluster']);
  },
);

test('an execution that is cancelled while the disk is full ends when there is room', async () => {
  const { run } = runOf('full-disk');
  await until('it is followed', () => listeners.has('full-disk'));
  const inTheWay = join(root, 'full-disk', 'job.json.tmp');
  mkdirSync(inTheWay);
  let isOver = false;
  void run.ended.then(() => (isOver = true));
  run.terminate();
  await until('it was tried', () =>
    vi.mocked(console.error).mock.calls.some(([line]) => /given up/.test(String(line))),
  );
  const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': uid };
  expect((await fetch(`http://127.0.0.1:${port}/pods/full-disk/begin`, { method: 'POST', headers })).status).toBe(409);
  expect(isOver).toBe(false);
  rmSync(inTheWay, { recursive: true });
  expect(await run.ended).toMatchObject({ commandRan: false });
  expect(readJob(join(root, 'full-disk'))).toMatchObject({ pod: 'nobody' });
});

test('a program of another place goes on when it is cancelled here, and is waited for no longer', async () => {
  vi.spyOn(api, 'open').mockImplementation((_method, _path, { signal } = {}) => {
    const log = new PassThrough();
    signal?.addEventListener('abort', () => log.destroy(new Error('aborted')));
    return Promise.resolve(log as unknown as IncomingMessage);
  });
  const { run, lines } = runOf('of-other', null, true);
  await begin('of-other');
  const status = { phase: 'Running', containerStatuses: [{ name: 'program', state: { running: {} } }] };
  listeners.get('of-other')?.({ metadata: { name: 'p', uid, annotations: { 'kethub.io/attempt': 'a' } }, status }, uid);
  await until('its log is read', () => vi.mocked(api.open).mock.calls.length > 0);
  run.terminate();
  expect(await run.ended).toMatchObject({ lost: true });
  expect(lines).toEqual([expect.stringMatching(/^The data folder has been copied or moved/)]);
});

test('an execution that waits for room keeps others from it for five minutes only', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let attempts = 0;
  const { run, counts, lines } = runOf('full', () => {
    attempts += 1;
    return Promise.reject(new ClusterRefusal(403, 'Forbidden', 'exceeded quota: none'));
  });
  await until('it was tried', () => counts.lacking === 1);
  vi.advanceTimersByTime(300_000);
  await until('it was tried again', () => attempts === 2);
  run.kill();
  expect(await run.ended).toMatchObject({ commandRan: false });
  expect(counts.lacking).toBe(1);
  expect(lines).toEqual([expect.stringContaining('exceeded quota: none')]);
});

test('a program of a folder that was copied is not ended, and its job stays', async () => {
  removed.length = 0;
  const { run, lines } = runOf('copied', null, true);
  await begin('copied');
  listeners.get('copied')?.({ metadata: { name: 'p', uid }, status: { phase: 'Running' } }, uid);
  run.terminate();
  expect(await run.ended).toMatchObject({ commandRan: true, lost: true });
  expect(lines.join('\n')).toMatch(/copied or moved/);
  await run.release();
  expect(removed).toEqual([]);
});

test('a program of a folder that was moved is removed when its pod has brought everything to the new place', async () => {
  removed.length = 0;
  const { run } = runOf('moved', null, true);
  await begin('moved');
  await begin('moved', 'done');
  const terminated = { exitCode: 0 };
  listeners.get('moved')?.({ metadata: { name: 'p', uid }, status: { phase: 'Succeeded', containerStatuses: [{ name: 'program', state: { terminated } }] } }, uid); // prettier-ignore
  expect(await run.ended).toMatchObject({ commandRan: true, code: 0 });
  await run.release();
  expect(removed).toEqual(['secrets/moved', 'jobs/moved']);
});
