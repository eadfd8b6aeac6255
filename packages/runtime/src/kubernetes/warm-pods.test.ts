import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import { standInCluster } from '../testing/stand-in-cluster.ts';
import { Transfers } from '../transfers/transfers.ts';
import { Claims, inputOf, keepJob, readJob, type KeptJob } from './claims.ts';
import { Handover } from './handover.ts';
import type { Pod } from './pod.ts';
import { sharesOf, WarmPods, type Reservation, type Taken, type WarmSpec } from './warm-pods.ts';

// The cluster is a stand-in here: warm-kubernetes.conformance.test.ts has a real one. Requests of pods are real.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-warm-'));
const [one, other] = ['1', '2'].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [string, string];
const transfers = new Transfers();
const { api, pods, listeners, removed, warnings } = standInCluster();
const made: Reservation[] = [];
let port: number;
let settings: { most: number; idleMs: number };
let fault: Error | null;
let warm: WarmPods;

beforeAll(async () => {
  port = await transfers.listen(0, null);
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  settings = { most: 4, idleMs: 900_000 };
  fault = null;
  for (const list of [made, removed, warnings]) list.length = 0;
  warm = new WarmPods(
    transfers,
    () => settings,
    () => undefined,
  );
});
afterEach(async () => {
  await warm.clear(true);
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

function specOf(version: string, more: Partial<WarmSpec> = {}): WarmSpec {
  return {
    owner: `owner of ${version}`,
    version,
    most: 1,
    key: 'key',
    parts: { app: { from: root, to: 'exchange/app' } },
    api,
    pods,
    jobOf: (id) => `job-${id}`,
    make(reservation) {
      if (fault !== null) return Promise.reject(fault);
      made.push(reservation);
      return Promise.resolve();
    },
    ...more,
  };
}

interface Asked {
  readonly status: number;
  readonly text: string;
}

/** A request as the sidecar in a pod sends it. */
async function ask(id: string, token: string, what: string, pod = one, signal?: AbortSignal): Promise<Asked> {
  const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': pod };
  const [method, path] = what.split(' ') as [string, string];
  const answer = await fetch(`http://127.0.0.1:${port}/pods/${id}/${path}`, {
    method,
    headers,
    ...(signal && { signal }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Lets the pod of a reservation ask for its execution, and waits until that is known. */
async function ready({ id, token }: Reservation): Promise<{ answer: Promise<Asked>; leave: AbortController }> {
  const leave = new AbortController();
  const answer = ask(id, token, 'POST wait', one, leave.signal);
  answer.catch(() => undefined);
  await until('the pod waits', () => warm.list().some(({ job, isReady }) => job === `job-${id}` && isReady));
  return { answer, leave };
}

/** The claims of an execution that was given this pod. */
function claimsOf(executionId: string, { id, job, tokenHash, pod, handover }: Taken): Claims {
  const folder = join(root, executionId);
  mkdirSync(folder);
  writeFileSync(inputOf(folder), '{"n":1}');
  const kept = {
    job,
    limits: LIMITS,
    startedAt: 1,
    tokenHash,
    reservation: id,
    pod,
    asks: true,
    parts: {},
    pools: [],
    poolFolders: {},
  } as unknown as KeptJob;
  keepJob(folder, kept);
  return new Claims(folder, executionId, kept, transfers, handover);
}

test('owners get one pod each in turn, for their versions in turn', () => {
  const wish = (owner: string, version: string, most: number) => ({ owner, version, most });
  const [a, b, c] = [wish('ada', 'a', 9), wish('ada', 'b', 9), wish('bob', 'c', 2)];
  const shares = (all: number, ...wishes: ReturnType<typeof wish>[]): number[] => [...sharesOf(wishes, all).values()];
  expect(shares(0, a, b, c)).toEqual([0, 0, 0]);
  expect(shares(1, a, b, c)).toEqual([1, 0, 0]);
  expect(shares(3, a, b, c)).toEqual([1, 1, 1]);
  expect(shares(6, a, b, c)).toEqual([2, 2, 2]);
  expect(shares(100, a, b, c)).toEqual([9, 9, 2]);
  expect(shares(3)).toEqual([]);
});

test('a pod is taken once, only when it waits, and gets what its execution hands over', async () => {
  const spec = specOf('v');
  warm.want(spec);
  const [pod] = made as [Reservation];
  expect(warm.take(spec)).toBeNull();
  expect(JSON.parse((await ask(pod.id, pod.token, 'POST claim')).text)).toEqual({ app: 'exchange/app' });
  expect(warm.take(spec)).toBeNull();
  const { answer } = await ready(pod);
  expect(warm.take({ ...spec, key: 'other limits' })).toBeNull();
  const taken = warm.take(spec) as Taken;
  expect(taken).toMatchObject({ id: pod.id, pod: one });
  expect([warm.take(spec), warm.list()]).toEqual([null, []]);
  const claims = claimsOf('executed', taken);
  taken.handover.give('the secret');
  expect(await answer).toEqual({ status: 200, text: 'the secret' });
  // The answer was lost, so the pod asks again.
  expect(await ask(pod.id, pod.token, 'POST wait')).toEqual({ status: 200, text: 'the secret' });
  expect((await ask(pod.id, pod.token, 'GET input')).text).toBe('{"n":1}');
  expect((await ask(pod.id, pod.token, 'POST begin')).status).toBe(200);
  expect((await ask(pod.id, pod.token, 'POST wait')).status).toBe(404);
  expect(claims.refuse()).toBe(false);
  claims.close();
  // Its place is filled when the execution has begun.
  expect(made).toHaveLength(1);
  warm.want(spec);
  expect(made).toHaveLength(2);
});

test('a pod reads its own parts only, and nothing of an execution that it was not given', async () => {
  warm.want(specOf('v', { most: 2 }));
  const [mine, its] = made as [Reservation, Reservation];
  await ready(mine);
  await ready(its);
  const taken = warm.take(specOf('v')) as Taken;
  const claims = claimsOf('of-another', taken);
  taken.handover.give('the secret');
  const [another] = [mine, its].filter(({ id }) => id !== taken.id) as [Reservation];
  for (const what of ['GET input', 'GET parts/app', 'POST wait', 'POST claim', 'POST begin', 'PUT written']) {
    expect((await ask(taken.id, another.token, what)).status).toBe(404);
    expect((await ask('of-another', another.token, what)).status).toBe(404);
    // A second pod with the same token, whatever made it.
    expect((await ask(another.id, another.token, what, other)).status).toBe(409);
  }
  for (const what of ['GET input', 'POST begin', 'POST done', 'PUT written', 'PUT output/YQ', 'GET wait'])
    expect((await ask(another.id, another.token, what)).status).toBe(409);
  expect((await ask(another.id, another.token, 'GET parts/other')).status).toBe(404);
  claims.close();
});

test('a pod that was given an execution is refused when that was given up, also by the next runner', async () => {
  const spec = specOf('v');
  warm.want(spec);
  const [pod] = made as [Reservation];
  const { answer } = await ready(pod);
  const taken = warm.take(spec) as Taken;
  const claims = claimsOf('given-up', taken);
  claims.close();
  // The next runner has not what was to be handed over.
  const kept = readJob(join(root, 'given-up')) as KeptJob;
  expect(JSON.stringify(kept)).not.toContain('secret');
  const next = new Claims(join(root, 'given-up'), 'given-up', kept, transfers);
  expect((await ask(pod.id, pod.token, 'POST wait')).status).toBe(404);
  expect(next.refuse()).toBe(true);
  expect((await ask(pod.id, pod.token, 'POST begin')).status).toBe(409);
  taken.handover.give('too late');
  expect((await answer).status).toBe(200);
  next.close();
});

test('a pod whose connection is lost is not taken, and is taken when it asks again', async () => {
  const spec = specOf('v');
  warm.want(spec);
  const [pod] = made as [Reservation];
  const { leave } = await ready(pod);
  leave.abort();
  await until('it is known', () => !warm.list().some(({ isReady }) => isReady));
  expect(warm.take(spec)).toBeNull();
  await ready(pod);
  expect(warm.take(spec)).not.toBeNull();
});

test('a pod hears from time to time that there is nothing yet', async () => {
  const handover = new Handover(1);
  const socket = new AbortController().signal as unknown as { once: () => void; off: () => void };
  Object.assign(socket, { once: () => undefined, off: () => undefined });
  const question = { socket } as never;
  expect(await handover.ask(question)).toEqual([202, {}]);
  expect(handover.isAsked).toBe(false);
  handover.give('it');
  expect(await handover.ask(question)).toEqual([200, 'it']);
});

test('pods go when their version is changed, gone or unused, when they are old, and when the operator wants none', async () => {
  const jobs = (): string[] => warm.list().map(({ job }) => job);
  warm.want(specOf('a'));
  const [first] = jobs();
  warm.want(specOf('a', { key: 'a changed draft' }));
  expect(jobs()).toHaveLength(1);
  expect(jobs()).not.toContain(first);
  warm.endVersions(['a', 'unknown']);
  expect(jobs()).toEqual([]);

  warm.want(specOf('b'));
  const [old] = jobs();
  await ready(made.at(-1) as Reservation);
  vi.advanceTimersByTime(800_000);
  warm.want(specOf('b'));
  expect(jobs()).toEqual([old]);
  vi.advanceTimersByTime(104_000);
  expect(jobs()).toHaveLength(1);
  expect(jobs()).not.toContain(old);
  settings.idleMs = 1_000;
  vi.advanceTimersByTime(2_000);
  expect(jobs()).toEqual([]);

  settings.idleMs = 900_000;
  warm.want(specOf('c'));
  settings.most = 0;
  vi.advanceTimersByTime(2_000);
  expect(jobs()).toEqual([]);
  const before = made.length;
  warm.want(specOf('d'));
  expect(made).toHaveLength(before);
  await warm.clear();
  for (const { id } of made) expect(removed).toEqual(expect.arrayContaining([`secrets/job-${id}`, `jobs/job-${id}`]));
});

test('owners of further versions get their share, and the surplus ends', () => {
  settings.most = 2;
  warm.want(specOf('a', { owner: 'ada', most: 2 }));
  expect(warm.list().map(({ version }) => version)).toEqual(['a', 'a']);
  warm.want(specOf('b', { owner: 'bob', most: 2 }));
  expect(warm.list().map(({ version }) => version)).toEqual(['a', 'b']);
});

test('an execution that waits for room ends all pods, until a minute after', () => {
  warm.want(specOf('a'));
  warm.yield();
  vi.advanceTimersByTime(50_000);
  warm.yield();
  warm.want(specOf('a'));
  vi.advanceTimersByTime(50_000);
  expect(warm.list()).toEqual([]);
  vi.advanceTimersByTime(12_000);
  expect(warm.list()).toHaveLength(1);
});

test('trouble is said once, with growing pauses, and the next pod is made when it is over', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  fault = new Error('exceeded quota: none');
  let attempts = 0;
  const spec = specOf('a', {
    make: () => {
      attempts += 1;
      return fault === null ? Promise.resolve() : Promise.reject(fault);
    },
  });
  warm.want(spec);
  await until('it was given up', () => warm.list().length === 0);
  expect(said.mock.calls).toEqual([['a warm pod of version a is ended: exceeded quota: none']]);
  for (const [pause, count] of [[28_000, 1], [4_000, 2], [58_000, 2], [4_000, 3]] as const) {
    vi.advanceTimersByTime(pause);
    await until('it was given up', () => warm.list().length === 0);
    expect(attempts).toBe(count);
  } // prettier-ignore
  expect(said).toHaveBeenCalledTimes(1);
  fault = null;
  vi.advanceTimersByTime(122_000);
  expect(warm.list()).toHaveLength(1);
});

test('a pod that does not get ready is given up with the words of the cluster; one that is lost is replaced', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  warm.want(specOf('a'));
  warnings.push(`pods "job-${made[0]?.id}-x1y2z" is forbidden: exceeded quota`);
  vi.advanceTimersByTime(14_000);
  await until('it was given up', () => warm.list().length === 0);
  expect(said.mock.calls).toEqual([['a warm pod of version a is ended: pods "it" is forbidden: exceeded quota']]);
  vi.advanceTimersByTime(40_000);
  const [second] = warm.list();
  const pod = { metadata: { name: 'p', uid: one }, status: { phase: 'Failed', message: 'its node is full' } } as Pod;
  listeners.get(second?.job ?? '')?.(pod, one);
  expect(warm.list()).toEqual([]);
  expect(said.mock.calls.at(-1)).toEqual(['a warm pod of version a is ended: its node is full']);
});

test('a pod that is not heard of any more, as its node is lost, is replaced', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  warm.want(specOf('a'));
  const [first] = warm.list();
  const { leave } = await ready(made[0] as Reservation);
  vi.advanceTimersByTime(4_000);
  leave.abort();
  await until('it is known', () => !warm.list().some(({ isReady }) => isReady));
  vi.advanceTimersByTime(28_000);
  expect(warm.list().map(({ job }) => job)).toEqual([first?.job]);
  vi.advanceTimersByTime(6_000);
  expect(warm.list()).toEqual([]);
  expect(said.mock.calls).toEqual([['a warm pod of version a is ended: it is not heard of any more']]);
  vi.advanceTimersByTime(32_000);
  expect(warm.list()).toHaveLength(1);
});
