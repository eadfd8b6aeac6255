import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runnerPathsIn } from '../paths.ts';
import type { JobHeader } from '../protocol/messages.ts';
import type { Run } from '../runner/driver.ts';
import { LIMITS, until } from '../testing/bench.ts';
import { ClusterApi, ClusterRefusal } from './api.ts';
import type { Job } from './jobs.ts';
import { Kubernetes } from './kubernetes.ts';
import type { KubernetesSettings } from './settings.ts';

// The API server is a stand-in, which keeps what is made in it and knows no pods.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-copied-'));
const settings = { server: 'https://x', namespace: 'n', image: 'i', port: 0, url: 'http://127.0.0.1:0', tls: null, gpuResource: 'g', resources: {}, nodeSelector: {} } as unknown as KubernetesSettings; // prettier-ignore
const objects = new Map<string, Job>();
const opened: Kubernetes[] = [];
const runs: Run[] = [];
let folders = 0;

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(ClusterApi.prototype, 'open').mockImplementation(() => Promise.resolve(new PassThrough() as unknown as IncomingMessage)); // prettier-ignore
  vi.spyOn(ClusterApi.prototype, 'ask').mockImplementation((method, path, { body } = {}) => {
    if (method === 'POST') {
      const made = body as Job;
      objects.set(`${path}/${made.metadata.name}`, {
        ...made,
        metadata: { ...made.metadata, uid: made.metadata.name },
      });
      return Promise.resolve(made as never);
    }
    if (method === 'DELETE') objects.delete(path);
    if (path.includes('/') && method === 'GET' && !objects.has(path))
      return Promise.reject(new ClusterRefusal(404, 'NotFound', path));
    const items = [...objects].filter(([name]) => name.startsWith(`${path}/`)).map(([, one]) => one);
    return Promise.resolve((objects.get(path) ?? { items, metadata: { resourceVersion: '1' } }) as never);
  });
});
afterEach(() => {
  for (const one of runs.splice(0)) one.abandon();
  for (const one of opened.splice(0)) one.close();
  objects.clear();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(root, { recursive: true }));

/** A data folder, or a copy of one, with a runner on it. */
async function openFolder(of?: string) {
  const folder = join(root, String(++folders));
  mkdirSync(join(folder, 'executions'), { recursive: true });
  if (of !== undefined) cpSync(of, folder, { recursive: true });
  const kubernetes = new Kubernetes(
    runnerPathsIn(folder),
    () => [],
    () => 1,
  );
  opened.push(kubernetes);
  const executionIn = (id: string): string => join(folder, 'executions', id);
  return {
    folder,
    kubernetes,
    use: () => kubernetes.use(settings),
    async start(id: string): Promise<Run> {
      mkdirSync(executionIn(id));
      const job = { executionId: id, code: { sourceDir: root, layerDir: null, imports: [] }, environment: {}, dataPools: [], secrets: {}, limits: LIMITS } as unknown as JobHeader; // prettier-ignore
      const run = kubernetes.prepare(job, Buffer.from('{}'), executionIn(id), '3.12');
      runs.push(run);
      run.start();
      await until('its job is made', () => jobsOf(id).length === 1);
      return run;
    },
    reattach(id: string): Run | null {
      const run = kubernetes.reattach(id, executionIn(id))?.run ?? null;
      if (run !== null) runs.push(run);
      return run;
    },
  };
}
const jobsOf = (id: string): string[] => [...objects.keys()].filter((name) => name.startsWith('jobs/') && name.endsWith(`-${id}`)); // prettier-ignore

test('a copy of a data folder removes and ends nothing of the folder that is in use, and says so', async () => {
  const original = await openFolder();
  await original.use();
  await original.start('before');
  const copy = await openFolder(original.folder);
  await original.start('after');
  const run = copy.reattach('before');
  run?.start();
  await copy.use();
  await until('it is told', () => copy.kubernetes.leftAlone !== null);
  expect(copy.kubernetes.leftAlone).toMatch(/jobs of Kubernetes from another place .*\(1\).*kubectl -n n delete jobs/);
  run?.kill();
  expect(await run?.ended).toMatchObject({ commandRan: false });
  await run?.release();
  for (const id of ['before', 'after']) expect(jobsOf(id)).toHaveLength(1);
});

test('a copy that begins the same execution has a job of its own', async () => {
  const original = await openFolder();
  await original.use();
  const copy = await openFolder(original.folder);
  await copy.use();
  await original.start('both');
  void copy.start('both').catch(() => undefined);
  await until('both have a job', () => jobsOf('both').length === 2);
});

test('the next runner of the same folder ends and removes what the earlier one began', async () => {
  const original = await openFolder();
  await original.use();
  await original.start('own');
  const next = new Kubernetes(
    runnerPathsIn(original.folder),
    () => [],
    () => 1,
  );
  opened.push(next);
  const left = next.reattach('own', join(original.folder, 'executions', 'own'));
  left?.run.start();
  left?.run.kill();
  await left?.run.release();
  expect(jobsOf('own')).toEqual([]);
});

test('a copy with a key of its own follows nothing of the other', async () => {
  const original = await openFolder();
  await original.use();
  await original.start('other');
  rmSync(join(original.folder, 'installation.key'));
  const copy = await openFolder(original.folder);
  expect(copy.reattach('other')).toBeNull();
});
