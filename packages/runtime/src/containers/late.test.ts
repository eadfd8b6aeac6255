import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { EgressProxies } from '../egress/proxies.ts';
import { ClusterApi } from '../kubernetes/api.ts';
import { Kubernetes } from '../kubernetes/kubernetes.ts';
import type { KubernetesSettings } from '../kubernetes/settings.ts';
import type { RunnerPaths } from '../paths.ts';
import { until } from '../testing/bench.ts';
import { Containers } from './containers.ts';
import { Engine } from './engine.ts';

// An engine and an API server that make what a runner has asked for when that runner is gone, and the next one has looked.
const root = mkdtempSync(join(tmpdir(), 'kethub-late-'));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(root, { recursive: true }));

function pathsOf(name: string): RunnerPaths {
  const runtimeDir = join(root, name);
  mkdirSync(join(runtimeDir, 'executions'), { recursive: true });
  return { runtimeDir, executions: join(runtimeDir, 'executions'), mark: `late${process.pid}` } as RunnerPaths;
}

test('a container that is made after the next runner has looked is removed', async () => {
  const made: object[] = [];
  let looks = 0;
  vi.spyOn(Engine.prototype, 'ask').mockImplementation(() => Promise.resolve(++looks && [...made]));
  const settled = vi.spyOn(Engine.prototype, 'settle').mockResolvedValue();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const containers = new Containers(pathsOf('engine'), {} as EgressProxies);
  containers.use({ socketPath: '/none', network: 'none' });
  expect(looks).toBe(1);
  made.push({ Id: 'late', Names: ['/late'], Labels: {} });
  vi.advanceTimersByTime(150_000);
  vi.useRealTimers();
  await until('it is removed', () => settled.mock.calls.some(([, path]) => path === '/containers/late'));
});

test('a job that is made after the next runner has looked is removed', async () => {
  const late = { metadata: { name: 'late', uid: 'u', annotations: { 'kethub.io/attempt': 'a' } } };
  const made: object[] = [];
  const looks: string[] = [];
  vi.spyOn(ClusterApi.prototype, 'ask').mockImplementation((_method, kind) => {
    looks.push(kind);
    return Promise.resolve({ metadata: { resourceVersion: '1' }, items: kind === 'jobs' ? [...made] : [] });
  });
  vi.spyOn(ClusterApi.prototype, 'find').mockResolvedValue(late);
  const removed = vi.spyOn(ClusterApi.prototype, 'remove').mockResolvedValue();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const kubernetes = new Kubernetes(
    pathsOf('cluster'),
    () => [],
    () => 1,
  );
  await kubernetes.use({ server: 'https://none', namespace: 'n', port: 0, tls: null } as KubernetesSettings);
  await until('it has looked', () => looks.includes('jobs'));
  made.push(late);
  vi.advanceTimersByTime(90_000);
  vi.useRealTimers();
  await until('it is removed', () => removed.mock.calls.some(([path]) => path === 'jobs/late'));
  kubernetes.close();
});
