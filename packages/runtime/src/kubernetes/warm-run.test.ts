import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import { standInCluster } from '../testing/stand-in-cluster.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';
import { Claims, inputOf, keepJob, readJob, type KeptJob } from './claims.ts';
import { Handover } from './handover.ts';
import { KubernetesRun, makeFolders } from './kubernetes-run.ts';
import { WarmRun } from './warm-run.ts';

// The cluster is a stand-in here, which ends pods at the moment that a test needs.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-warm-run-'));
const transfers = new Transfers();
const token = 'a'.repeat(64);
const pod = '10000000-0000-4000-8000-000000000000';
const cluster = standInCluster();
const { listeners, removed } = cluster;
let port: number;

beforeAll(async () => {
  port = await transfers.listen(0, null);
});
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

async function ask(id: string, what: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': pod };
  const answer = await fetch(`http://127.0.0.1:${port}/pods/${id}/${what}`, { method: 'POST', headers });
  await answer.text();
  return answer.status;
}

/** A run in a pod that waited, whose execution has a pod of its own otherwise. `made` names the jobs that it needs. */
function runOf(id: string): { run: WarmRun; made: string[]; lines: string[]; folder: string } {
  const folder = join(root, id);
  mkdirSync(folder);
  makeFolders(folder, []);
  writeFileSync(inputOf(folder), '{}');
  const base = { limits: LIMITS, startedAt: 1, parts: {}, pools: [], poolFolders: {}, asks: true, marksEnd: true };
  const made: string[] = [];
  const inPod = (more: Partial<KeptJob>, handover: Handover | null): [Claims, KubernetesRun] => {
    const kept = { ...base, job: 'own', tokenHash: hashOf(token), ...more } as unknown as KeptJob;
    keepJob(folder, kept);
    const claims = new Claims(folder, id, kept, transfers, handover);
    const make = (): Promise<void> => Promise.resolve(void made.push(kept.job));
    const options = { ...kept, attempt: kept.tokenHash.slice(0, 16), folder, output: join(folder, 'output') };
    return [claims, new KubernetesRun(cluster.around(make), claims, { ...options, marksEnd: true, leavesFile: false })];
  };
  const handover = new Handover();
  const taken = { id: `warm-${id}`, job: 'warm', tokenHash: hashOf(token), pod, seen: null, handover };
  const first = inPod({ job: 'warm', reservation: taken.id, pod }, handover);
  const others = { unfollow: () => undefined, close: () => undefined };
  const run = new WarmRun({ ...taken, ...others }, ...first, () => inPod({}, null)[1]);
  const lines: string[] = [];
  run.follow(({ message }) => lines.push(message));
  return { run, made, lines, folder };
}

test('a pod that ends before it begins is replaced by one of its own, and the log says nothing', async () => {
  const { run, made, lines, folder } = runOf('replaced');
  run.start();
  await until('it is followed', () => listeners.has('warm'));
  listeners.get('warm')?.(null, pod);
  await until('it has a pod of its own', () => made.includes('own'));
  expect(removed).toEqual(expect.arrayContaining(['secrets/warm', 'jobs/warm']));
  expect(await ask('warm-replaced', 'begin')).toBe(404);
  expect(readJob(folder)).toMatchObject({ job: 'own' });
  expect(readJob(folder)?.reservation).toBeUndefined();
  expect(await ask('replaced', 'begin')).toBe(200);
  expect(await run.begins).toBe(0);
  expect(readJob(folder)?.begunAt).toBeGreaterThan(0);
  expect(lines).toEqual([]);
  run.abandon();
});

test('a pod that is lost after it began is not replaced: nobody knows how far it came', async () => {
  const { run, made } = runOf('begun');
  run.start();
  await until('it is followed', () => listeners.has('warm'));
  expect(await ask('warm-begun', 'begin')).toBe(200);
  listeners.get('warm')?.(null, pod);
  expect(await run.ended).toMatchObject({ commandRan: true, lost: true });
  expect(made).toEqual(['warm']);
});

test('an execution that is cancelled before it begins has no other pod', async () => {
  const { run, made } = runOf('cancelled');
  run.start();
  run.terminate();
  expect(await run.ended).toMatchObject({ commandRan: false });
  expect(await ask('warm-cancelled', 'begin')).toBe(409);
  expect(made).not.toContain('own');
  await run.release();
  expect(await ask('warm-cancelled', 'begin')).toBe(404);
});
