import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfiguration } from '@kethub/server';
import { openTestPlatform, type OpenedPlatform } from '@kethub/server/testing/opened-platform';
import { callerOf } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { startTcpProxy, type TcpProxy } from '@kethub/server/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHART, helm, writeKubeconfig } from '../script/helm.ts';
import { startKubernetes, type Cluster } from '../script/kubernetes.ts';
import { startPostgres, type Postgres } from '../script/postgres.ts';
import { root } from '../script/run.ts';
import { startS3Server, type S3Server } from '../script/s3.ts';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const programs = JSON.parse(process.env['KETHUB_TEST_PACKAGING'] ?? '{}') as Record<
  'kubernetes' | 'helm' | 's3',
  string
>;
const RELEASE = 'hub';
const ROLES = ['api', 'gateway', 'worker', 'git'] as const;
const PORT = { api: 8080, gateway: 8081, worker: 8082, git: 8080 };
const INSTANCE_KEY = '33'.repeat(32);

let folder: string;
let cluster: Cluster;
let postgres: Postgres;
let s3: S3Server;
const proxies: Record<string, TcpProxy> = {};
let opened: OpenedPlatform | null = null;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly deletionTimestamp?: string;
  };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-packaging-'));
  cluster = await startKubernetes(programs.kubernetes);
  postgres = await startPostgres({ durable: false, also: cluster.address });
  s3 = await startS3Server(programs.s3, cluster.address);
  for (const target of ['platform', 'worker'])
    cluster.load(path.join(root, `.runtime/image/kethub-${target}-${version}.tar`));
  writeKubeconfig(cluster, path.join(folder, 'kubeconfig'));
}, 600_000);

afterAll(async () => {
  await opened?.close();
  for (const proxy of Object.values(proxies)) await proxy.close();
  await cluster.stop();
  await s3.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

const run = (...args: string[]): string => helm(programs.helm, args, folder);
const pods = async (): Promise<readonly Pod[]> => {
  const { body } = await cluster.ask('GET', '/api/v1/namespaces/kethub/pods');
  return (body['items'] as readonly Pod[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
};
const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
const ofRole = async (role: string): Promise<readonly Pod[]> =>
  (await pods()).filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === role);
async function create(where: string, body: object): Promise<void> {
  const answer = await cluster.ask('POST', where, body);
  if (answer.status !== 201) throw new Error(`${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

test('the chart is linted, and rendered with everything that can be chosen', () => {
  const secret = ['--set', 'existingSecret=kethub'];
  expect(run('lint', '--strict', CHART, ...secret)).toContain('0 chart(s) failed');
  expect(() => run('template', RELEASE, CHART)).toThrow(/existingSecret: name a Secret/);
  const plain = run('template', RELEASE, CHART, ...secret);
  expect(plain).toContain('procMount: Unmasked');
  expect(plain).not.toMatch(/privileged: true|kind: Ingress|HorizontalPodAutoscaler|kind: Role\b/);
  const choices = ['jobs.enabled=true', 'worker.autoscaling.kind=hpa', 'ingress.platformHost=a.example', 'ingress.gatewayHost=b.example', 'networkPolicy.metricsNamespace=monitoring'];
  const all = run('template', RELEASE, CHART, ...secret, '--set', choices.join(','));
  for (const kind of ['Ingress', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'NetworkPolicy', 'Role', 'Namespace'])
    expect(all).toContain(`kind: ${kind}\n`);
  expect(all).toContain('name: kethub_executions_pending');
  const keda = run('template', RELEASE, CHART, ...secret, '--set', 'worker.autoscaling.kind=keda,worker.autoscaling.prometheus=http://p');
  expect(keda).toContain('kind: ScaledObject');
}); // prettier-ignore

test('it is installed, its processes are ready, and a service is published and called', async () => {
  await create('/api/v1/namespaces', { metadata: { name: 'kethub' } });
  for (const name of ['data-1', 'data-2', 'data-3']) {
    const at = path.join(folder, name);
    mkdirSync(at, { mode: 0o700 });
    chownSync(at, 1000, 1000);
    const spec = { capacity: { storage: '20Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: at } };
    await create('/api/v1/persistentvolumes', { metadata: { name: `${RELEASE}-${name}` }, spec });
  }
  // Addresses of pods are known only when they run.
  for (const role of ['api', 'gateway']) proxies[role] = await startTcpProxy(new URL('http://127.0.0.1:1'));
  const { KETHUB_BLOBS: blobs = '', KETHUB_S3_ENDPOINT: endpoint = '', ...s3Secrets } = s3.settings;
  const secrets = { DATABASE_URL: postgres.url.replace('127.0.0.1', cluster.address), KETHUB_INSTANCE_KEY: INSTANCE_KEY };
  await create('/api/v1/namespaces/kethub/secrets', { metadata: { name: 'kethub' }, stringData: { ...secrets, ...s3Secrets } });
  const settings = {
    KETHUB_PUBLIC_URL: proxies['api']?.origin ?? '',
    KETHUB_GATEWAY_URL: proxies['gateway']?.origin ?? '',
    KETHUB_BLOBS: blobs,
    KETHUB_S3_ENDPOINT: endpoint,
  };
  const resources = { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '2Gi' } };
  const values = {
    existingSecret: 'kethub',
    images: { platform: `localhost/kethub-platform:${version}`, worker: `localhost/kethub-worker:${version}` },
    settings,
    drainSeconds: 1,
    // The containerd of this machine knows no user namespaces of pods.
    sandbox: { kind: 'privileged' },
    api: { resources },
    gateway: { resources },
    git: { resources, storage: '1Gi' },
    worker: { resources, storage: '1Gi', finishSeconds: 60 },
  };
  writeFileSync(path.join(folder, 'values.yaml'), JSON.stringify(values));
  const install = ['install', RELEASE, CHART, '--namespace', 'kethub', '--values', path.join(folder, 'values.yaml')];
  run(...install, '--timeout', '5m');
  while (!(await pods()).every(isReady) || (await pods()).length < 7) await pause(1_000);
  for (const role of ROLES) {
    const all = await ofRole(role);
    expect(all).toHaveLength(role === 'git' ? 1 : 2);
    for (const { status } of all) {
      const answer = await fetch(`http://${status.podIP ?? ''}:${PORT[role]}/ready`);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'READY' }]);
      expect((await fetch(`http://${status.podIP ?? ''}:9090/metrics`)).status).toBe(200);
    }
  }
  for (const role of ['api', 'gateway'] as const) {
    const [pod] = await ofRole(role);
    proxies[role]?.lead(new URL(`http://${pod?.status.podIP ?? ''}:${PORT[role]}`));
  }
  const configuration = readConfiguration({
    ...settings,
    ...s3Secrets,
    DATABASE_URL: postgres.url,
    KETHUB_INSTANCE_KEY: INSTANCE_KEY,
    KETHUB_ROLES: 'gateway',
    KETHUB_DATA_DIR: path.join(folder, 'own'),
  });
  opened = await openTestPlatform(configuration);
  const { client } = await opened.signIn('ada');
  const service = await deploy(client, 'sum', { 'program.py': 'def run(a: int, b: int) -> dict:\n  return {"sum": a + b}\n' });
  const caller = await callerOf(service);
  const ended = await caller.finish({ a: 2, b: 3 });
  expect(ended.status).toBe('SUCCEEDED');
  const result = await caller.request('GET', `/${ended.id}/result`);
  expect(result.body).toMatchObject({ sum: 5 });
}, 600_000); // prettier-ignore

test('an upgrade runs the migration before, and a worker that ends finishes what it runs', async () => {
  const { client } = (await opened?.signIn('grace')) ?? fail();
  const service = await deploy(client, 'slow', { 'program.py': 'import time\ndef run(s: int) -> dict:\n  time.sleep(s)\n  return {"slept": s}\n' });
  const caller = await callerOf(service);
  const started = [await caller.start({ s: 15 }), await caller.start({ s: 15 })];
  const before = (await ofRole('worker')).map(({ metadata }) => Reflect.get(metadata, 'uid') as string);
  run('upgrade', RELEASE, CHART, '--namespace', 'kethub', '--values', path.join(folder, 'values.yaml'), '--set', 'worker.settings.KETHUB_LOG_LEVEL=debug', '--timeout', '5m');
  const replaced = async (): Promise<boolean> => {
    const now = await ofRole('worker');
    return now.length === 2 && now.every((pod) => isReady(pod) && !before.includes(Reflect.get(pod.metadata, 'uid') as string));
  };
  while (!(await replaced())) await pause(500);
  for (const { id } of started) {
    const answer = await caller.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    expect(answer.body).toMatchObject({ status: 'SUCCEEDED' });
  }
}, 600_000); // prettier-ignore

test('uninstalled, it leaves its volumes and nothing that runs', async () => {
  run('uninstall', RELEASE, '--namespace', 'kethub', '--timeout', '5m');
  while ((await cluster.ask('GET', '/api/v1/namespaces/kethub/pods').then(({ body }) => body['items'] as unknown[])).length > 0)
    await pause(500);
  const { body } = await cluster.ask('GET', '/api/v1/namespaces/kethub/persistentvolumeclaims');
  expect(body['items']).toHaveLength(3);
}, 300_000); // prettier-ignore

function fail(): never {
  throw new Error('The platform of the test before is missing');
}
