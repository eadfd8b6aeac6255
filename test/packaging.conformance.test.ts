import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfiguration } from '@kethub/server';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { openTestPlatform, type OpenedPlatform } from '@kethub/server/testing/opened-platform';
import { startTcpProxy, type TcpProxy } from '@kethub/server/testing/tcp-proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHART } from '../script/helm.ts';
import { PYTHON } from '../script/kubernetes/images.ts';
import { metricAt, serveExternalMetrics } from './packaging/metrics-adapter.ts';
import { IMAGES, NEXT, openChartCluster, rightsOf, writeValues, type ChartCluster, type Item } from './packaging/chart-cluster.ts'; // prettier-ignore

const programs = JSON.parse(process.env['KETHUB_TEST_PACKAGING'] ?? '{}') as Record<
  'kubernetes' | 'helm' | 's3' | 'scaledObjects',
  string
>;
/** The usual name. Kubernetes announces its services to pods as variables that begin like our settings. */
const RELEASE = 'kethub';
const ROLES = ['api', 'gateway', 'worker', 'git'] as const;
const PORT = { api: 8080, gateway: 8081, worker: 8082, git: 8080 };
const INSTANCE_KEY = '33'.repeat(32);
const SECRET = ['--set', 'existingSecret=kethub'];
const SMALL = { configuration: { cpus: 0.2, memoryGb: 0.125 } };

let chart: ChartCluster;

beforeAll(async () => {
  chart = await openChartCluster(programs);
}, 600_000);
afterAll(() => chart.close(), 300_000);

const isReady = ({ status }: Item): boolean =>
  ((status?.['conditions'] ?? []) as { type: string; status: string }[]).some(
    ({ type, status: is }) => type === 'Ready' && is === 'True',
  );
const objects = (kind: string, group = '/api/v1', namespace = 'kethub'): Promise<readonly Item[]> =>
  chart.list(`${group}/namespaces/${namespace}/${kind}`);
const ofRole = async (role: string): Promise<readonly Item[]> =>
  (await objects('pods')).filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined && metadata.labels?.['app.kubernetes.io/component'] === role,
  );
const addressOf = ({ status }: Item): string => String(status?.['podIP']);

test('the chart is linted, and rendered with everything that can be chosen', async () => {
  expect(await chart.helm('lint', '--strict', CHART, ...SECRET)).toContain('0 chart(s) failed');
  const plain = JSON.stringify(await chart.render(...SECRET));
  expect(plain).toContain('"procMount":"Unmasked"');
  expect(plain).not.toMatch(/"privileged":true|"kind":"(Ingress|HorizontalPodAutoscaler|Role)"/);
  const choices = ['jobs.enabled=true', 'jobs.warmPods=8', 'worker.autoscaling.kind=hpa', 'ingress.platformHost=a.example', 'ingress.gatewayHost=b.example', 'networkPolicy.metricsNamespace=monitoring'];
  const file = writeValues(chart.folder, { settings: { KETHUB_OWNER_STORAGE_MB: 1_600_000 } });
  const all = await chart.render(...SECRET, '--values', file, '--set', choices.join(','));
  const kinds = new Set(all.map(({ kind }) => kind));
  for (const kind of ['Ingress', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'NetworkPolicy', 'Role', 'Namespace'])
    expect(kinds).toContain(kind);
  expect(JSON.stringify(all)).toContain('kethub_executions_pending');
  expect(JSON.stringify(all)).toContain('{"name":"KETHUB_KUBERNETES_WARM_PODS","value":"8"}');
  expect(JSON.stringify(all)).toContain('{"name":"KETHUB_OWNER_STORAGE_MB","value":"1600000"}');
}); // prettier-ignore

test('values that cannot work are refused in words', async () => {
  const words = async (...values: string[]): Promise<string> => chart.refusal('template', RELEASE, CHART, ...values);
  expect(await words()).toContain('existingSecret: name a Secret with DATABASE_URL and KETHUB_INSTANCE_KEY');
  expect(await words(...SECRET, '--set', 'wroker.replicas=3')).toMatch(/'wroker' not allowed/);
  expect(await words(...SECRET, '--set', 'worker.replica=3')).toMatch(/worker.*'replica' not allowed/);
  expect(await words(...SECRET, '--set', 'worker.autoscaling.kind=on')).toMatch(/'off', 'hpa', 'keda'/);
  expect(await words(...SECRET, '--set', 'api.settings.DATABASE_URL=x')).toContain(
    'settings: DATABASE_URL is a secret',
  );
  const keda = await words(...SECRET, '--set', 'worker.autoscaling.kind=keda');
  expect(keda).toContain('worker.autoscaling.prometheus: name the address of a Prometheus');
});

test('api, gateway and migration satisfy the standard "restricted", worker and git "baseline" with a profile', async () => {
  for (const level of ['restricted', 'baseline'])
    await chart.makeNamespace(level, { 'pod-security.kubernetes.io/enforce': level });
  const verdict = async (level: string, component: string, ...more: string[]): Promise<string> => {
    const found = (await chart.render(...SECRET, ...more)).find(
      ({ kind = '', metadata }) =>
        /^(Deployment|StatefulSet|Job)$/.test(kind) && metadata.labels?.['app.kubernetes.io/component'] === component,
    );
    if (found === undefined) throw new Error(`The chart has no ${component}`);
    const { spec } = found.spec['template'] as { spec: { volumes: object[] } };
    // The volume of a StatefulSet is added by its controller.
    if (found.kind === 'StatefulSet') spec.volumes.push({ name: 'data', emptyDir: {} });
    const where = `/api/v1/namespaces/${level}/pods?dryRun=All`;
    const { status, body } = await chart.cluster.ask('POST', where, { metadata: { name: 'a' }, spec });
    return status === 201 ? 'accepted' : `${status} ${String(body['message'])}`;
  };
  for (const component of ['api', 'gateway', 'migrate'])
    expect([component, await verdict('restricted', component)]).toEqual([component, 'accepted']);
  for (const component of ['worker', 'git']) {
    expect(await verdict('baseline', component)).toMatch(/^403 .*violates PodSecurity "baseline:latest": .*seccompProfile/);
    const profile = ['--set', 'sandbox.seccompProfile=kethub-sandbox.json,sandbox.withoutAppArmor=false'];
    expect([component, await verdict('baseline', component, ...profile)]).toEqual([component, 'accepted']);
    expect(await verdict('restricted', component, ...profile)).toMatch(/^403 .*violates PodSecurity "restricted:latest": procMount/);
    const privileged = await verdict('baseline', component, '--set', 'sandbox.kind=privileged');
    expect(privileged).toMatch(/^403 .*violates PodSecurity "baseline:latest": privileged/);
  }
}); // prettier-ignore

test('a pod of workers contains hostile programs, and the check says so', async () => {
  const rendered = await chart.render(...SECRET, '--set', `sandbox.kind=privileged,images.worker=${IMAGES.worker}`);
  const found = rendered.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === `${RELEASE}-worker`);
  if (found === undefined) throw new Error('The chart has no worker');
  const { spec } = found.spec['template'] as { spec: { volumes: object[]; containers: Record<string, unknown>[] } };
  const [container = {}] = spec.containers;
  const { name, image, securityContext, volumeMounts } = container;
  const env = (container['env'] as { name: string }[]).filter((one) => one.name === 'KETHUB_DATA_DIR');
  const program = 'ket doctor sandbox --engine off --only hostile_wheel forged_report zip_tricks --json 2>/dev/null';
  const command = ['/usr/bin/tini', '--', '/bin/sh', '-c', `mkdir -p "$KETHUB_DATA_DIR" && ${program}`];
  const volumes = [...spec.volumes, { name: 'data', emptyDir: {} }];
  const containers = [{ name, image, securityContext, volumeMounts, env, command }];
  await chart.makeNamespace('doctor');
  await chart.create('/api/v1/namespaces/doctor/pods', { metadata: { name: 'doctor' }, spec: { ...spec, restartPolicy: 'Never', containers, volumes } });
  const phase = async (): Promise<unknown> => (await objects('pods', '/api/v1', 'doctor'))[0]?.status?.['phase'];
  while (!['Succeeded', 'Failed'].includes(String(await phase()))) await pause(500);
  const { body } = await chart.cluster.ask('GET', '/api/v1/namespaces/doctor/pods/doctor/log');
  expect((body['findings'] as { name: string; contained: boolean }[]).map((one) => [one.name, one.contained])).toEqual([['zip_tricks', true], ['forged_report', true], ['hostile_wheel', true]]);
  expect(await phase()).toBe('Succeeded');
}, 300_000); // prettier-ignore

test('an installation that cannot start says why', async () => {
  const data = { DATABASE_URL: chart.databaseUrl, KETHUB_INSTANCE_KEY: INSTANCE_KEY };
  await chart.makeNamespace('bare');
  const bare = ['install', RELEASE, CHART, '--namespace', 'bare', ...SECRET];
  expect(await chart.refusal(...bare)).toContain('kubectl --namespace bare create secret generic kethub');
  await chart.create('/api/v1/namespaces/bare/secrets', { metadata: { name: 'kethub' }, stringData: { DATABASE_URL: data.DATABASE_URL } });
  expect(await chart.refusal(...bare)).toContain('the Secret kethub of the namespace bare has no entry KETHUB_INSTANCE_KEY');

  await chart.makeNamespace('older');
  await chart.create('/api/v1/namespaces/older/secrets', { metadata: { name: 'kethub' }, stringData: data });
  const older = ['install', RELEASE, CHART, '--namespace', 'older', '--dry-run=server', ...SECRET];
  // No volume has this class, so none is bound.
  const claim = { storageClassName: 'none', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await chart.create('/api/v1/namespaces/older/persistentvolumeclaims', { metadata: { name: 'data-kethub-git-0' }, spec: claim });
  expect(await chart.refusal(...older)).toContain('Go on with it: --set git.existingClaim=data-kethub-git-0');
  expect(await chart.refusal(...older, '--set', 'git.existingClaim=nothing')).toContain('the namespace older has no claim nothing');
  const taken = await chart.helm(...older, '--set', 'git.existingClaim=data-kethub-git-0');
  expect(taken).toContain('claimName: data-kethub-git-0');
  expect(taken).not.toContain('kind: PersistentVolumeClaim');
  // An older chart has its data at the top of the volume.
  expect(taken.match(/value: \/var\/lib\/kethub$/gm)).toHaveLength(1);

  const install = async (namespace: string, stringData: object, ...more: string[]): Promise<string> => {
    await chart.makeNamespace(namespace);
    await chart.create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'kethub' }, stringData });
    const settings = 'settings.KETHUB_PUBLIC_URL=http://a.example,settings.KETHUB_GATEWAY_URL=http://b.example';
    return chart.refusal('install', RELEASE, CHART, '--namespace', namespace, ...SECRET, '--set', settings, ...more);
  };
  const wrong = new URL(data.DATABASE_URL);
  wrong.pathname = '/nowhere';
  wrong.password = 's3cret';
  const [database, image] = await Promise.all([
    install('wrong-database', { ...data, DATABASE_URL: wrong.href }, '--set', `images.platform=${IMAGES.platform}`, '--timeout', '4m'),
    install('wrong-image', data, '--set', 'images.platform=localhost/nothing:1', '--timeout', '20s'),
  ]);
  expect(database).toContain('Create the database, or correct its name');
  expect(database).not.toContain('s3cret');
  const [pod] = await objects('pods', '/api/v1', 'wrong-image');
  expect(JSON.stringify(pod?.status)).toMatch(/ErrImagePull|ImagePullBackOff/);
  expect(image).toContain(`${RELEASE}-migrate`);
}, 600_000); // prettier-ignore

describe('installed', () => {
  const proxies: Record<string, TcpProxy> = {};
  let opened: OpenedPlatform;
  let values: string;
  let sum: Caller;
  let slow: Caller;

  afterAll(async () => {
    await opened?.close();
    for (const proxy of Object.values(proxies)) await proxy.close();
  });

  const upgrade = (...set: string[]): Promise<string> =>
    chart.helm('upgrade', RELEASE, CHART, '--namespace', 'kethub', '--values', values, ...set.flatMap((one) => ['--set', one]), '--wait', '--timeout', '8m'); // prettier-ignore
  const result = async (caller: Caller, id: string): Promise<unknown> => {
    for (;;) {
      const { status, body } = await caller.request('GET', `/${id}`);
      expect([status, body]).toEqual([200, expect.objectContaining({ status: expect.any(String) as string })]);
      const { status: is } = body as { status: string };
      if (is === 'SUCCEEDED') return (await caller.request('GET', `/${id}/result`)).body;
      if (is !== 'PENDING' && is !== 'RUNNING') throw new Error(JSON.stringify(body));
      await pause(500);
    }
  };

  test('its processes are ready, and a service is published and called in a sandbox', async () => {
    await chart.makeNamespace('kethub');
    await chart.makeVolumes(4);
    for (const role of ['api', 'gateway']) proxies[role] = await startTcpProxy(new URL('http://127.0.0.1:1'));
    const { KETHUB_BLOBS = '', KETHUB_S3_ENDPOINT = '', ...keys } = chart.s3.settings;
    const secrets = { DATABASE_URL: chart.databaseUrl, KETHUB_INSTANCE_KEY: INSTANCE_KEY, ...keys };
    await chart.create('/api/v1/namespaces/kethub/secrets', { metadata: { name: 'kethub' }, stringData: secrets });
    const settings = {
      KETHUB_PUBLIC_URL: proxies['api']?.origin ?? '',
      KETHUB_GATEWAY_URL: proxies['gateway']?.origin ?? '',
      KETHUB_BLOBS,
      KETHUB_S3_ENDPOINT,
    };
    const resources = { requests: { cpu: '10m', memory: '128Mi' }, limits: { cpu: '1', memory: '2Gi' } };
    values = writeValues(chart.folder, {
      existingSecret: 'kethub',
      images: IMAGES,
      settings,
      drainSeconds: 3,
      // The containerd of this machine knows no user namespaces of pods.
      sandbox: { kind: 'privileged' },
      api: { resources },
      gateway: { resources },
      git: { resources, storage: '1Gi' },
      worker: { resources, storage: '1Gi', finishSeconds: 60, settings: { KETHUB_MAX_CONCURRENT_EXECUTIONS: 1 } },
      jobs: { image: PYTHON },
    });
    const install = ['install', RELEASE, CHART, '--namespace', 'kethub', '--values', values];
    await chart.helm(...install, '--wait', '--timeout', '8m');
    for (const role of ROLES) {
      const all = await ofRole(role);
      expect([role, all.length]).toEqual([role, role === 'git' ? 1 : 2]);
      for (const pod of all) {
        const answer = await fetch(`http://${addressOf(pod)}:${PORT[role]}/ready`);
        expect([answer.status, await answer.json()]).toEqual([200, { status: 'READY' }]);
        expect((await fetch(`http://${addressOf(pod)}:9090/metrics`)).status).toBe(200);
      }
    }
    // The hook has ended before, and Helm has removed it.
    expect(await objects('jobs', '/apis/batch/v1')).toEqual([]);
    const services = await objects('services');
    for (const role of ['api', 'gateway']) {
      const service = services.find(({ metadata }) => metadata.name === `${RELEASE}-${role}`);
      proxies[role]?.lead(new URL(`http://${String(service?.spec['clusterIP'])}:80`));
      // A pod that is ready becomes an endpoint of its service a moment later.
      while ((await fetch(`${proxies[role]?.origin}/ready`).catch(() => null))?.status !== 200) await pause(200);
    }
    const own = { ...settings, ...keys, DATABASE_URL: chart.postgres.url, KETHUB_INSTANCE_KEY: INSTANCE_KEY };
    opened = await openTestPlatform(
      readConfiguration({ ...own, KETHUB_ROLES: 'gateway', KETHUB_DATA_DIR: path.join(chart.folder, 'own') }),
    );
    const { client } = await opened.signIn('ada');
    const program = 'def run(a: int, b: int) -> dict:\n  return {"sum": a + b}\n';
    sum = await callerOf(await deploy(client, 'sum', { 'src/program.py': program }, SMALL));
    const sleeping = 'import time\ndef run(s: int) -> dict:\n  time.sleep(s)\n  return {"slept": s}\n';
    slow = await callerOf(await deploy(client, 'slow', { 'src/program.py': sleeping }, SMALL));
    const ended = await sum.finish({ a: 2, b: 3 });
    expect(await result(sum, ended.id)).toMatchObject({ sum: 5 });
  }, 900_000); // prettier-ignore

  test('its containers are user 1000 on a read-only root, and none holds a capability', async () => {
    for (const role of ROLES)
      for (const pod of await ofRole(role)) {
        const confined = role === 'api' || role === 'gateway';
        expect([role, rightsOf(pod)]).toEqual([
          role,
          expect.objectContaining({
            Uid: '1000 1000 1000 1000',
            Gid: '1000 1000 1000 1000',
            CapPrm: '0000000000000000',
            CapEff: '0000000000000000',
            CapAmb: '0000000000000000',
            root: 'ro',
            // Seccomp 2 is a filter. The pods of sandboxes are privileged on this machine.
            ...(confined && { CapBnd: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' }),
          }),
        ]);
      }
  });

  test('its disruption budgets let one pod of a role go, and hold the next', async () => {
    const budgets = await objects('poddisruptionbudgets', '/apis/policy/v1');
    expect(budgets.map(({ metadata }) => metadata.name).toSorted()).toEqual(['api', 'gateway', 'worker'].map((role) => `${RELEASE}-${role}`));
    const allowed = async (): Promise<unknown> =>
      (await objects('poddisruptionbudgets', '/apis/policy/v1')).find(({ metadata }) => metadata.name === `${RELEASE}-gateway`)?.status?.['disruptionsAllowed'];
    while ((await allowed()) !== 1) await pause(200);
    const evict = async ({ metadata: { name } }: Item): Promise<number> =>
      (await chart.cluster.ask('POST', `/api/v1/namespaces/kethub/pods/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'kethub' } })).status;
    const [one, other] = await ofRole('gateway');
    if (one === undefined || other === undefined) throw new Error('There are two gateways');
    expect([await evict(one), await evict(other)]).toEqual([201, 429]);
    while ((await ofRole('gateway')).filter(isReady).length < 2) await pause(500);
  }, 300_000); // prettier-ignore

  test('an upgrade to other images, more replicas and jobs of the cluster loses no call', async () => {
    const policies = await objects('networkpolicies', '/apis/networking.k8s.io/v1');
    expect(policies.map(({ metadata }) => metadata.name).toSorted()).toEqual(['api', 'gateway', 'git', 'migrate', 'worker'].map((role) => `${RELEASE}-${role}`));
    const started = [await slow.start({ s: 20 }), await slow.start({ s: 20 })];
    const before = new Set((await objects('pods')).map(({ metadata }) => metadata.uid));
    const upgraded = new AbortController();
    const failed: string[] = [];
    const asked = async (running: Promise<{ readonly status: number }>, status: number): Promise<void> => {
      const answer = await running.catch((error: unknown) => ({ status: String(error) }));
      if (answer.status !== status) failed.push(String(answer.status));
    };
    const called: string[] = [];
    const call = async (): Promise<{ readonly status: number }> => {
      const answer = await sum.request('POST', '/', { body: '{"a": 1, "b": 2}' });
      if (answer.status === 201) called.push((answer.body as { id: string }).id);
      return answer;
    };
    const asking = (async () => {
      for (let number = 0; !upgraded.signal.aborted; number++) {
        await asked(slow.request('GET', `/${started[number % started.length]?.id ?? ''}`), 200);
        await asked(fetch(`${proxies['api']?.origin ?? ''}/`), 200);
        if (number % 40 === 0) await asked(call(), 201);
        await pause(100);
      }
    })();
    await upgrade('jobs.enabled=true', 'gateway.replicas=3', 'worker.replicas=3', `images.platform=${NEXT.platform}`, `images.worker=${NEXT.worker}`).finally(() => upgraded.abort());
    await asking;
    expect(failed).toEqual([]);
    for (const role of ROLES) {
      const all = await ofRole(role);
      expect([role, all.length, all.every(isReady)]).toEqual([role, { api: 2, gateway: 3, worker: 3, git: 1 }[role], true]);
      for (const { metadata, spec } of all) {
        expect([role, before.has(metadata.uid)]).toEqual([role, false]);
        expect(spec['containers']).toMatchObject([{ image: role === 'worker' ? NEXT.worker : NEXT.platform }]);
      }
    }
    for (const { id } of started) expect(await result(slow, id)).toMatchObject({ slept: 20 });
    expect(called.length).toBeGreaterThan(0);
    for (const id of called) expect(await result(sum, id)).toMatchObject({ sum: 3 });
  }, 900_000); // prettier-ignore

  test('an execution is a job of the cluster, which outlasts another upgrade', async () => {
    const started = [await slow.start({ s: 20 }), await slow.start({ s: 20 })];
    const jobs = (): Promise<readonly Item[]> => objects('jobs', '/apis/batch/v1', 'kethub-executions');
    while ((await jobs()).length < 2) await pause(200);
    const [pod] = await objects('pods', '/api/v1', 'kethub-executions');
    expect(pod?.spec).toMatchObject({ securityContext: { runAsUser: 1000 } });
    await upgrade('jobs.enabled=true', 'worker.replicas=3', 'worker.settings.KETHUB_LOG_LEVEL=debug');
    for (const { id } of started) expect(await result(slow, id)).toMatchObject({ slept: 20 });
    const ended = await sum.finish({ a: 20, b: 3 });
    expect(await result(sum, ended.id)).toMatchObject({ sum: 23 });
    while ((await jobs()).length > 0) await pause(200);
  }, 900_000); // prettier-ignore

  test('workers are added by the autoscaler while executions wait, whose metric is asked for', async () => {
    const where = '/apis/apps/v1/namespaces/kethub/statefulsets/kethub-worker';
    const replicas = async (): Promise<unknown> => ((await chart.cluster.ask('GET', where)).body as unknown as Item).spec['replicas'];
    const apis = async (): Promise<string[]> => (await ofRole('api')).map((pod) => `${addressOf(pod)}:9090`);
    const adapter = await serveExternalMetrics(chart, apis);
    try {
      const scaling = ['kind=hpa', 'minReplicas=2', 'maxReplicas=3', 'waitingPerWorker=1'].map((one) => `worker.autoscaling.${one}`);
      await upgrade('jobs.enabled=true', ...scaling);
      while ((await replicas()) !== 2) await pause(500);
      const started = await Promise.all(Array.from({ length: 8 }, () => slow.start({ s: 20 })));
      const [first = ''] = await apis();
      while ((await metricAt(first, 'kethub_executions_pending')) < 6) await pause(100);
      while ((await replicas()) !== 3) await pause(500);
      for (const { id } of started) expect(await result(slow, id)).toMatchObject({ slept: 20 });
      expect(await metricAt(first, 'kethub_executions_pending')).toBe(0);
    } finally {
      await adapter.close();
    }
  }, 900_000); // prettier-ignore

  test('a ScaledObject of KEDA is what its definition asks for', async () => {
    const definition = readFileSync(programs.scaledObjects, 'utf8');
    const made = await chart.cluster.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    expect(made.status).toBe(201);
    const set = 'worker.autoscaling.kind=keda,worker.autoscaling.prometheus=http://prometheus:9090';
    const object = (await chart.render(...SECRET, '--set', set)).find(({ kind }) => kind === 'ScaledObject');
    const where = '/apis/keda.sh/v1alpha1/namespaces/kethub/scaledobjects?dryRun=All&fieldValidation=Strict';
    while ((await chart.cluster.ask('GET', where)).status !== 200) await pause(200);
    expect(await chart.cluster.ask('POST', where, object)).toMatchObject({ status: 201 });
  });

  test('uninstalled, it leaves its volumes and the Secret, and nothing that runs', async () => {
    await chart.helm('uninstall', RELEASE, '--namespace', 'kethub', '--wait', '--timeout', '5m');
    const left = async (): Promise<string[]> => {
      const kinds: [string, string][] = [
        ['pods', '/api/v1'], ['services', '/api/v1'], ['serviceaccounts', '/api/v1'], ['configmaps', '/api/v1'], ['secrets', '/api/v1'],
        ['deployments', '/apis/apps/v1'], ['statefulsets', '/apis/apps/v1'], ['replicasets', '/apis/apps/v1'], ['jobs', '/apis/batch/v1'],
        ['poddisruptionbudgets', '/apis/policy/v1'], ['networkpolicies', '/apis/networking.k8s.io/v1'],
        ['horizontalpodautoscalers', '/apis/autoscaling/v2'], ['rolebindings', '/apis/rbac.authorization.k8s.io/v1'],
      ];
      const all = await Promise.all(kinds.map(async ([kind, group]) => (await objects(kind, group)).map(({ metadata }) => `${kind} ${metadata.name}`)));
      return all.flat();
    };
    const own = ['serviceaccounts default', 'configmaps kube-root-ca.crt', 'secrets kethub'];
    while ((await left()).length > own.length) await pause(500);
    expect(await left()).toEqual(own);
    expect((await objects('persistentvolumeclaims')).map(({ metadata }) => metadata.name).toSorted()).toEqual(['data-kethub-worker-0', 'data-kethub-worker-1', 'data-kethub-worker-2', 'kethub-git']);
    while ((await chart.cluster.ask('GET', '/api/v1/namespaces/kethub-executions')).status !== 404) await pause(500);
  }, 600_000); // prettier-ignore
});
