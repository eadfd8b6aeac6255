import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../../script/kubernetes/certificates.ts';
import { PYTHON } from '../../../../script/kubernetes/images.ts';
import type { Cluster } from '../../../../script/kubernetes.ts';
import type { ExecutionEnd, KubernetesSettings } from '../index.ts';
import { openBench, resultOf, until, type Bench, type Order } from '../testing/bench.ts';
import { copyOf } from '../testing/copied-folder.ts';
import { NAMESPACE, openCluster, settingsFor, tokenOf } from '../testing/cluster.ts';
import { testDriver } from '../testing/contract.ts';

const SLEEPING = 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(600)';
const ONE = 'def run():\n    return 1';
/** A node of two processors takes two of these at once. */
const HALF: Order = { limits: { cpus: 0.5 } };

/** TLS of the port for pods, with a certificate that no machine knows. */
function overTls({ address }: Cluster): Pick<KubernetesSettings, 'tls'> {
  return { tls: makeCertificate(mkdtempSync(join(tmpdir(), 'kethub-certificate-')), address) };
}

describe.skipIf(process.getuid?.() !== 0)('jobs of a real Kubernetes', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await openCluster();
  }, 3_600_000);
  afterAll(async () => {
    await cluster.stop();
  });

  describe('the contract of drivers', () => {
    testDriver({
      kind: 'PYTHON',
      open: async () => openBench({ kubernetes: await settingsFor(cluster) }),
      given: ({ python }, order) => [python, order],
      missing: { sourceDir: '/nowhere/at/all', layerDir: null, imports: [] },
      measuredBy: null,
      interfaces: 2,
      limitsProcesses: false,
      sharesFolders: false,
    });
  });

  describe('in a cluster', () => {
    let settings: KubernetesSettings;
    let bench: Bench;

    beforeAll(async () => {
      const plain = await settingsFor(cluster);
      settings = { ...plain, ...overTls(cluster), url: plain.url.replace('http:', 'https:') };
      bench = await openBench({ kubernetes: settings });
    });
    afterAll(async () => {
      await bench.close();
    });

    interface Item {
      metadata: { name: string; uid: string; labels: Record<string, string> };
      spec: Record<string, unknown>;
    }
    const path = (kind: string, group = '/api/v1'): string => `${group}/namespaces/${NAMESPACE}/${kind}`;
    const items = async (where: string): Promise<Item[]> =>
      ((await cluster.ask('GET', where)).body['items'] ?? []) as Item[];
    const podOf = async (id: string): Promise<Item> => {
      const [pod] = await items(`${path('pods')}?labelSelector=kethub.io/execution=${id}`);
      if (pod === undefined) throw new Error(`there is no pod of ${id}`);
      return pod;
    };
    const everything = ['jobs', 'networkpolicies', 'pods', 'secrets'];
    const pathOf = (kind: string): string =>
      path(
        kind,
        kind === 'jobs' ? '/apis/batch/v1' : kind === 'networkpolicies' ? '/apis/networking.k8s.io/v1' : '/api/v1',
      );
    const logOf = async (id: string): Promise<string> => (await bench.log(id)).map(({ message }) => message).join('\n');
    /** Starts an execution, and waits until its log says why the cluster does not begin it. */
    const waiting = async (words: RegExp, order: Order = {}): Promise<{ id: string; ended: Promise<ExecutionEnd> }> => {
      const job = bench.job(ONE, order);
      const ended = bench.ended(job.executionId);
      expect(await bench.runtime.start(job)).toBe('STARTED');
      for (let attempt = 0; !words.test(await logOf(job.executionId)); attempt++) {
        if (attempt > 600) throw new Error(`the log never said ${words}: ${await logOf(job.executionId)}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return { id: job.executionId, ended };
    };

    test('a pod has no right that its program does not need, and the objects show no secret', async () => {
      const program = SLEEPING.replace('run()', 'run(token)');
      const job = await bench.startedWith('began', program, {
        secrets: { token: 's3cret-of-a-tenant' },
        hosts: ['127.0.0.1:80', '93.184.216.34:443'],
      });
      const pod = await podOf(job.executionId);
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        restartPolicy: 'Never',
        securityContext: { runAsUser: 1000, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              readOnlyRootFilesystem: true,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
            },
            resources: { limits: { memory: String(job.limits.memoryBytes), cpu: '1' } },
          },
        ],
      });
      // A host that is forbidden is left out. Policies are enforced in policies-kubernetes.conformance.test.ts.
      const [policy] = await items(`${pathOf('networkpolicies')}?labelSelector=kethub.io/execution=${job.executionId}`);
      expect(policy?.spec).toMatchObject({
        policyTypes: ['Ingress', 'Egress'],
        egress: [
          { ports: [{ protocol: 'TCP', port: settings.port }] },
          { to: [{ ipBlock: { cidr: '93.184.216.34/32' } }], ports: [{ protocol: 'TCP', port: 443 }] },
        ],
      });
      expect(policy?.spec['ingress']).toBeUndefined();
      for (const kind of everything.filter((one) => one !== 'secrets'))
        expect(JSON.stringify((await cluster.ask('GET', pathOf(kind))).body)).not.toContain('s3cret');
      const own = await fetchAs(readFileSync(settings.tokenFile, 'utf8'), pathOf('secrets'));
      expect(own).toBe(403);
      const ended = bench.ended(job.executionId);
      await bench.runtime.cancel(job.executionId);
      expect((await ended).outcome).toBe('CANCELLED');
      for (const kind of everything)
        await until(
          `no ${kind} are left`,
          async () =>
            (await items(`${pathOf(kind)}?labelSelector=kethub.io/execution=${job.executionId}`)).length === 0,
        );
    });

    /** The status that the API server answers to this token. */
    async function fetchAs(token: string, where: string): Promise<number> {
      const { default: https } = await import('node:https');
      return new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` };
        https
          .get(`${cluster.server}${where}`, { ca: readFileSync(cluster.caFile), headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode ?? 0);
          })
          .once('error', reject);
      });
    }

    test('a second pod of a job runs nothing', async () => {
      const job = await bench.startedWith('began', SLEEPING, HALF);
      const { spec, metadata } = await podOf(job.executionId);
      // With the labels of the controller it would be the job's own, and one of the two would be removed.
      const labels = Object.fromEntries(
        Object.entries(metadata.labels).filter(([name]) => name.startsWith('kethub.io/')),
      );
      const copy = { ...spec, nodeName: undefined, volumes: spec['volumes'] };
      const made = await cluster.ask('POST', path('pods'), {
        metadata: { name: `${metadata.name}-again`, labels },
        spec: copy,
      });
      expect(made.status).toBe(201);
      const state = async (): Promise<string> =>
        JSON.stringify((await cluster.ask('GET', `${path('pods')}/${metadata.name}-again`)).body['status']);
      await until('the second pod has failed', async () => (await state()).includes('"phase":"Failed"'));
      expect(await state()).toContain('"exitCode":125');
      expect((await bench.log(job.executionId)).filter(({ message }) => message === 'began')).toHaveLength(1);
      const ended = bench.ended(job.executionId);
      await bench.runtime.cancel(job.executionId);
      expect((await ended).outcome).toBe('CANCELLED');
    }, 240_000);

    test('neither a runner nor an API server that is killed loses an execution or a line of its log', async () => {
      const program =
        'import time\ndef run():\n    for n in range(30):\n        print("line", n, flush=True)\n        time.sleep(1)\n    return "done"';
      const job = await bench.startedWith('line 2', program);
      process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
      const ended = bench.ended(job.executionId);
      await cluster.kill('apiserver');
      await cluster.start('apiserver');
      const end = await ended;
      expect([end.outcome, resultOf(end)]).toEqual(['SUCCEEDED', 'done']);
      const log = await bench.log(job.executionId);
      const lines = log.filter(({ severity }) => severity === 'INFO').map(({ message }) => message);
      expect(lines).toEqual(Array.from({ length: 30 }, (_, n) => `line ${n}`));
    }, 300_000);

    test.each([
      [
        'deleted by somebody',
        'PodDeleted',
        (name: string) => cluster.ask('DELETE', `${path('pods')}/${name}?gracePeriodSeconds=1`),
      ],
      [
        'evicted from its node',
        'Evicted',
        (name: string) =>
          cluster.ask('POST', `${path('pods')}/${name}/eviction`, {
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name },
            deleteOptions: { gracePeriodSeconds: 1 },
          }),
      ],
    ])('a pod %s is reported as such', async (_what, type, end) => {
      const job = await bench.startedWith('began', SLEEPING);
      const ended = bench.ended(job.executionId);
      expect((await end((await podOf(job.executionId)).metadata.name)).status).toBeLessThan(300);
      expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type } });
    });

    test('a pod whose node is closed by a taint is reported as such', async () => {
      const job = await bench.startedWith('began', SLEEPING);
      const ended = bench.ended(job.executionId);
      const taint = async (taints: object[] | null): Promise<void> =>
        expect((await cluster.ask('PATCH', '/api/v1/nodes/node1', { spec: { taints } })).status).toBe(200);
      await taint([{ key: 'example.com/closed', effect: 'NoExecute' }]);
      expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type: 'NodeClosed' } });
      await taint(null);
    });

    test('a pod that is deleted while it starts runs nothing, and leaves nothing', async () => {
      const job = bench.job(ONE, HALF);
      const ended = bench.ended(job.executionId);
      await bench.runtime.start(job);
      const mine = `${path('pods')}?labelSelector=kethub.io/execution=${job.executionId}`;
      // The time of grace is the pod's own, which is longer than this test waits.
      await until('there is a pod', async () => {
        const [pod] = await items(mine);
        if (pod === undefined) return false;
        return (await cluster.ask('DELETE', `${path('pods')}/${pod.metadata.name}`)).status === 200;
      });
      expect(await ended).toMatchObject({ outcome: 'NOT_STARTED' });
      await until('the pod is gone', async () => (await items(mine)).length === 0);
    }, 240_000);

    test('a pod that another one with a higher priority displaces is reported as such', async () => {
      const where = '/apis/scheduling.k8s.io/v1/priorityclasses';
      const made = await cluster.ask('POST', where, { metadata: { name: 'first' }, value: 1_000 });
      expect(made.status).toBe(201);
      const job = await bench.startedWith('began', SLEEPING, { limits: { cpus: 1.5 } });
      const ended = bench.ended(job.executionId);
      const resources = { requests: { cpu: '1500m' } };
      const pods = '/api/v1/namespaces/default/pods';
      const other = {
        metadata: { name: 'displaces' },
        spec: {
          priorityClassName: 'first',
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'one', image: PYTHON, command: ['sleep', '600'], resources }],
        },
      };
      expect((await cluster.ask('POST', pods, other)).status).toBe(201);
      expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type: 'Preempted' } });
      await cluster.ask('DELETE', `${pods}/displaces?gracePeriodSeconds=0`);
      await cluster.ask('DELETE', `${where}/first`);
    });

    test('GPUs of an execution are asked of the cluster, and a program waits for one that is taken', async () => {
      // The node has no GPU: it is told that it has one, by the way that is meant for devices without a plugin.
      const node = '/api/v1/nodes/node1/status';
      const patched = await cluster.ask('PATCH', node, { status: { capacity: { [settings.gpuResource]: '1' } } });
      expect(patched.status).toBe(200);
      const gpus = { count: 1, type: null };
      const first = await bench.startedWith('began', SLEEPING, { ...HALF, gpus });
      const [container] = (await podOf(first.executionId)).spec['containers'] as [{ resources: object }];
      expect(container.resources).toMatchObject({ limits: { [settings.gpuResource]: '1' } });
      const { ended } = await waiting(/Insufficient example.com\/gpu/, { ...HALF, gpus });
      const over = bench.ended(first.executionId);
      await bench.runtime.cancel(first.executionId);
      expect((await over).outcome).toBe('CANCELLED');
      expect((await ended).outcome).toBe('SUCCEEDED');
    });

    test('an exhausted quota is logged, and the execution goes on when there is room', async () => {
      const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
      expect((await cluster.ask('POST', path('resourcequotas'), quota)).status).toBe(201);
      const { ended } = await waiting(/exceeded quota/);
      await cluster.ask('DELETE', `${path('resourcequotas')}/none`);
      expect((await ended).outcome).toBe('SUCCEEDED');
    }, 400_000);

    test('a program that no node can take is logged, and can be cancelled', async () => {
      const { id, ended } = await waiting(/Insufficient memory/, { limits: { memoryBytes: 2 ** 50 } });
      await bench.runtime.cancel(id);
      expect((await ended).outcome).toBe('CANCELLED');
    });

    test('expired credentials are logged, and the execution goes on with new ones', async () => {
      writeFileSync(settings.tokenFile, 'expired');
      const { ended } = await waiting(/does not accept our credentials/);
      writeFileSync(settings.tokenFile, await tokenOf(cluster, 7_200));
      expect((await ended).outcome).toBe('SUCCEEDED');
    });

    test('two installations in one namespace leave each other alone, and an image that cannot be pulled is logged', async () => {
      const other = await openBench({
        kubernetes: { ...(await settingsFor(cluster)), image: 'localhost:1/nowhere:1' },
      });
      const mine = await bench.startedWith('began', SLEEPING, HALF);
      const job = other.job(ONE, HALF);
      const ended = other.ended(job.executionId);
      await other.runtime.start(job);
      await until('the log names the image', async () =>
        (await other.log(job.executionId)).some(({ message }) => /localhost:1\/nowhere:1/.test(message)),
      );
      await other.runtime.cancel(job.executionId);
      expect((await ended).outcome).toBe('CANCELLED');
      await other.close();
      const over = bench.ended(mine.executionId);
      expect((await bench.runtime.list()).find(({ executionId }) => executionId === mine.executionId)?.state).toBe(
        'RUNNING',
      );
      await bench.runtime.cancel(mine.executionId);
      expect((await over).outcome).toBe('CANCELLED');
      expect(settings.image).toBe(PYTHON);
    });

    test('a copy of a data folder leaves the jobs of the folder alone, and says so', async () => {
      const known = await bench.startedWith('began', SLEEPING, HALF);
      const unknown = await bench.startedWith('began', SLEEPING, HALF);
      const copy = await openBench({ kubernetes: await settingsFor(cluster) }, (to) => {
        copyOf(bench)(to);
        rmSync(join(to, 'runtime', 'executions', unknown.executionId), { recursive: true });
      });
      await until('it is told', async () => ((await copy.runtime.status()).leftAlone ?? null) !== null);
      expect((await copy.runtime.status()).leftAlone).toMatch(/\(1\).*kubectl -n kethub-executions delete jobs -l/);
      const given = copy.ended(known.executionId);
      await copy.runtime.cancel(known.executionId);
      expect((await given).outcome).toBe('CANCELLED');
      await copy.close();
      for (const { executionId } of [known, unknown]) {
        expect((await podOf(executionId)).metadata).not.toHaveProperty('deletionTimestamp');
        const over = bench.ended(executionId);
        await bench.runtime.cancel(executionId);
        expect((await over).outcome).toBe('CANCELLED');
      }
    });
  });
});
