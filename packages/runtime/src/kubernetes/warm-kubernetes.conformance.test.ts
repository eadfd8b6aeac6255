import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../../script/kubernetes/certificates.ts';
import type { Cluster } from '../../../../script/kubernetes.ts';
import type { Code, KubernetesSettings, WarmPod } from '../index.ts';
import { openBench, resultOf, type Bench, type Order } from '../testing/bench.ts';
import { NAMESPACE, openCluster, settingsFor } from '../testing/cluster.ts';

const PROGRAM = `
import os, time, urllib.request, urllib.error
def run(seconds: int = 0, ask=None, token=None):
    print("began", flush=True)
    before = os.path.exists("/tmp/mark")
    open("/tmp/mark", "w").close()
    time.sleep(seconds)
    answers = []
    for url in ask or []:
        try:
            headers = {"Authorization": "Bearer " + "0" * 64, "X-Kethub-Pod": "0" * 36}
            urllib.request.urlopen(urllib.request.Request(url, b"", headers), timeout=10)
            answers.append(200)
        except urllib.error.HTTPError as error:
            answers.append(error.code)
    return {"before": before, "has": token and token.unwrap(), "answers": answers}
`;
const SECRET = 's3cret-of-a-tenant';
/** A node of two processors takes several of these at once. */
const SMALL: Order = { limits: { cpus: 0.3 } };
/** Looks until something is so, 100 ms apart: a busy machine starts a pod in a minute. */
const LOOKS = 1_800;

describe.skipIf(process.getuid?.() !== 0)('pods of a real Kubernetes that wait for executions', () => {
  let cluster: Cluster;
  let settings: KubernetesSettings;
  let bench: Bench;
  let code: Code;

  beforeAll(async () => {
    cluster = await openCluster();
    const plain = await settingsFor(cluster);
    const tls = makeCertificate(mkdtempSync(join(tmpdir(), 'kethub-certificate-')), cluster.address);
    settings = { ...plain, tls, url: plain.url.replace('http:', 'https:') };
    bench = await openBench({ kubernetes: settings, warmPods: 2 });
    code = bench.service(PROGRAM);
  }, 3_600_000);
  afterAll(async () => {
    await bench?.close();
    await cluster?.stop();
  });

  interface Item {
    metadata: { name: string; uid: string; creationTimestamp: string; labels: Record<string, string> };
  }
  const PATHS: Readonly<Record<string, string>> = {
    jobs: `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    pods: `/api/v1/namespaces/${NAMESPACE}/pods`,
    secrets: `/api/v1/namespaces/${NAMESPACE}/secrets`,
    networkpolicies: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`,
    resourcequotas: `/api/v1/namespaces/${NAMESPACE}/resourcequotas`,
  };
  const itemsOf = async (kind: string, label = ''): Promise<Item[]> =>
    ((await cluster.ask('GET', `${PATHS[kind]}?labelSelector=${label}`)).body['items'] ?? []) as Item[];
  const becomes = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    for (let look = 0; look < LOOKS; look++) {
      if (await isSo()) return;
      await pause(100);
    }
    throw new Error(`It never came true: ${what}. The runner says: ${ownLog().slice(-2_000)}`);
  };
  const ownLog = (): string => readFileSync(join(bench.dataDir, 'runtime', 'runner.log'), 'utf8');
  const warmPods = async (): Promise<WarmPod[]> => (await bench.runtime.status()).warmPods ?? [];
  const wish = (version: string, most = 1, order: Order = {}): Order => ({
    ...SMALL,
    warmPods: { owner: `owner-of-${version}`, version, most },
    ...order,
  });
  const areReady = (count: number): Promise<void> =>
    becomes(`${count} pods wait`, async () => {
      const pods = await warmPods();
      return pods.length === count && pods.every(({ isReady }) => isReady);
    });
  const areGone = (): Promise<void> =>
    becomes('the cluster has no object of ours', async () => {
      const counts = await Promise.all(['jobs', 'pods', 'secrets', 'networkpolicies'].map((kind) => itemsOf(kind, 'kethub.io/installation')));
      return counts.every(({ length }) => length === 0);
    }); // prettier-ignore
  /** Runs an execution of a version, after which so many of its pods wait. */
  const prepared = async (version: string, most = 1, program: Code = code): Promise<void> => {
    expect((await bench.run(program, wish(version, most))).outcome).toBe('SUCCEEDED');
    await areReady(most);
  };
  /** Starts an execution that stays in the pod that waits, and returns its id. */
  const runningWarm = async (version: string, seconds: number): Promise<string> => {
    const [waiting] = await warmPods();
    const { executionId } = await bench.startedWith('began', code, wish(version, 1, { input: { seconds } }));
    const [pod] = await itemsOf('pods', `kethub.io/job=${waiting?.job}`);
    await becomes('it is named', async () => {
      const [named] = await itemsOf('pods', `kethub.io/execution=${executionId}`);
      return named !== undefined && named.metadata.uid === pod?.metadata.uid;
    });
    return executionId;
  };

  test('each execution has a fresh pod that was there before it, and no object of the cluster has its secret', async () => {
    await prepared('first');
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      await areReady(1);
      const [waiting] = await warmPods();
      const [before] = await itemsOf('pods', `kethub.io/job=${waiting?.job}`);
      expect(before?.metadata.labels['kethub.io/warm']).toBe('first');
      expect(before?.metadata.labels['kethub.io/execution']).toBeUndefined();
      const secret = `${SECRET}-${round}`;
      const input = { seconds: 2 };
      const job = await bench.startedWith('began', code, wish('first', 1, { input, secrets: { token: secret } }));
      for (const kind of ['jobs', 'pods', 'secrets', 'networkpolicies']) {
        const text = JSON.stringify((await cluster.ask('GET', PATHS[kind] ?? '')).body);
        const contents = [text, ...[...text.matchAll(/"([A-Za-z0-9+/=]{8,})"/g)].map(([, base64 = '']) => Buffer.from(base64, 'base64').toString('latin1'))]; // prettier-ignore
        for (const one of contents) expect(one).not.toContain(SECRET);
      }
      let pods: Item[] = [];
      await becomes('it has a pod', async () => {
        pods = await itemsOf('pods', `kethub.io/execution=${job.executionId}`);
        return pods.length > 0;
      });
      expect(pods.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
      seen.add(before?.metadata.uid ?? '');
      const end = await ended(job.executionId);
      expect([end.outcome, resultOf(end)]).toEqual(['SUCCEEDED', { before: false, has: secret, answers: [] }]);
      expect((await bench.log(job.executionId)).map(({ message }) => message)).toEqual(['began']);
    }
    expect(seen.size).toBe(3);
    await bench.runtime.endWarmPods(['first']);
    await areGone();
  }, 400_000);

  /** The end of an execution that may have ended already. A runner that is killed reports it when it is back. */
  const ended: Bench['ended'] = async (executionId) => {
    const end = bench.ended(executionId);
    const all = await bench.runtime.list().catch(() => []);
    const known = all.find((one) => one.executionId === executionId);
    return known?.state === 'ENDED' ? known.end : end;
  };

  test('an execution in such a pod is cancelled, and outlives the runner; pods that wait do not', async () => {
    await prepared('kept');
    const cancelled = await runningWarm('kept', 600);
    await bench.runtime.cancel(cancelled);
    expect((await ended(cancelled)).outcome).toBe('CANCELLED');
    await areReady(1);
    const kept = await runningWarm('kept', 15);
    await areReady(1);
    const [waiting] = await warmPods();
    process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
    await becomes('the job of the pod that waited is gone', async () => {
      return (await itemsOf('jobs', `kethub.io/job=${waiting?.job}`)).length === 0;
    });
    const end = await ended(kept);
    expect([end.outcome, resultOf(end)]).toEqual(['SUCCEEDED', { before: false, has: null, answers: [] }]);
    expect((await bench.log(kept)).map(({ message }) => message)).toEqual(['began']);
    expect(await warmPods()).toEqual([]);
    await areGone();
  }, 400_000);

  test('a program reaches nothing of a pod that waits, or of another execution', async () => {
    await prepared('asked');
    const victim = await runningWarm('asked', 600);
    await areReady(1);
    const [waiting] = await warmPods();
    const id = idOf(waiting);
    const ask = [id, victim].flatMap((one) =>
      ['claim', 'wait', 'begin', 'done'].map((what) => `${settings.url}/pods/${one}/${what}`),
    );
    expect(id).not.toBe('');
    const unverified = 'import ssl\nssl._create_default_https_context = ssl._create_unverified_context\n';
    const program = bench.service(`${unverified}${PROGRAM}`);
    expect(await bench.result(program, { ...SMALL, input: { ask } })).toMatchObject({ answers: ask.map(() => 404) });
    await areReady(1);
    await bench.runtime.cancel(victim);
    expect((await ended(victim)).outcome).toBe('CANCELLED');
    await bench.runtime.endWarmPods(['asked']);
  }, 400_000);

  test('a pod that does not begin is replaced by one of its own, and the execution notices nothing', async () => {
    await prepared('stuck');
    const [waiting] = await warmPods();
    const ours = processOf(waiting);
    process.kill(ours, 'SIGSTOP');
    const end = await bench.run(code, wish('stuck'));
    expect(end.outcome).toBe('SUCCEEDED');
    expect((await bench.log(end.executionId)).map(({ message }) => message)).toEqual(['began']);
    expect(ownLog()).toContain(`${waiting?.job} did not begin`);
    process.kill(ours, 'SIGCONT');
    await areReady(1);
    const [other] = await warmPods();
    const [pod] = await itemsOf('pods', `kethub.io/job=${other?.job}`);
    await cluster.ask('DELETE', `${PATHS['pods']}/${pod?.metadata.name}`);
    await becomes('it is not taken any more', async () => (await warmPods()).every(({ job }) => job !== other?.job));
    expect((await bench.run(code, wish('stuck'))).outcome).toBe('SUCCEEDED');
    await bench.runtime.endWarmPods(['stuck']);
    await areGone();
  }, 400_000);

  test('an execution whose pod has not begun when the runner is killed has not run, and can be started again', async () => {
    await prepared('handed');
    const [waiting] = await warmPods();
    const ours = processOf(waiting);
    process.kill(ours, 'SIGSTOP');
    const job = bench.job(code, wish('handed', 1, { secrets: { token: SECRET } }));
    await bench.runtime.start(job);
    // Another one may wait by now.
    expect((await warmPods()).map((one) => one.job)).not.toContain(waiting?.job);
    process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
    expect((await ended(job.executionId)).outcome).toBe('NOT_STARTED');
    // Its socket holds what it was handed, but nothing lets it begin.
    process.kill(ours, 'SIGCONT');
    await areGone();
    expect(await bench.log(job.executionId)).toEqual([]);
    await bench.runtime.forget(job.executionId);
    const end = bench.ended(job.executionId);
    await bench.runtime.start(job);
    expect(resultOf(await end)).toMatchObject({ has: SECRET });
    await bench.runtime.endWarmPods(['handed']);
    await areGone();
  }, 400_000);

  test('pods go when their version is replaced or unused, owners share them, and with 0 there are none', async () => {
    await prepared('shared', 2);
    const before = new Set((await warmPods()).map(({ job }) => job));
    const changed = bench.service(`${PROGRAM}\n# changed`);
    await prepared('shared', 2, changed);
    expect((await warmPods()).filter(({ job }) => before.has(job))).toEqual([]);
    expect((await bench.run(code, wish('of-another', 2))).outcome).toBe('SUCCEEDED');
    await areReady(2);
    expect((await warmPods()).map(({ version }) => version).sort()).toEqual(['of-another', 'shared']);
    await bench.again({ warmPods: 2, warmPodIdleMs: 1 });
    await areGone();
    expect(await warmPods()).toEqual([]);
    await bench.again({ warmPods: 0 });
    expect((await bench.run(code, wish('none'))).outcome).toBe('SUCCEEDED');
    expect(await warmPods()).toEqual([]);
    await bench.again({ warmPods: 2 });
    await areGone();
  }, 400_000);

  test('pods wait only while there is room: they go when an execution waits for a quota, and hold none up', async () => {
    await prepared('full', 2);
    const quota = { metadata: { name: 'two' }, spec: { hard: { pods: '2' } } };
    expect((await cluster.ask('POST', PATHS['resourcequotas'] ?? '', quota)).status).toBe(201);
    await becomes('the quota counts them', async () => {
      const { body } = await cluster.ask('GET', `${PATHS['resourcequotas']}/two`);
      return (body as { status?: { used?: { pods?: string } } }).status?.used?.pods === '2';
    });
    // It needs a pod of its own, for which there is room only without those.
    const end = await bench.run(code, { limits: { cpus: 0.2 } });
    expect(end.outcome).toBe('SUCCEEDED');
    expect(ownLog()).toContain('warm pods end: an execution waits for room in the cluster');
    await cluster.ask('DELETE', `${PATHS['resourcequotas']}/two`);
    await bench.runtime.endWarmPods(['full']);
    await areGone();
    const none = { metadata: { name: 'one' }, spec: { hard: { pods: '1' } } };
    expect((await cluster.ask('POST', PATHS['resourcequotas'] ?? '', none)).status).toBe(201);
    const long = { input: { seconds: 65 }, limits: { cpus: 0.3, runTimeMs: 300_000 } };
    const { executionId } = await bench.startedWith('began', code, wish('alone', 1, long));
    await becomes('the log of the runner says why', async () =>
      /a warm pod of version alone is ended: .*exceeded quota/.test(ownLog()),
    );
    expect((await ended(executionId)).outcome).toBe('SUCCEEDED');
    expect(ownLog().split('a warm pod of version alone is ended')).toHaveLength(2);
    await cluster.ask('DELETE', `${PATHS['resourcequotas']}/one`);
    await bench.runtime.endWarmPods(['alone']);
  }, 600_000);

  const idOf = (pod: WarmPod | undefined): string => /warm-[0-9a-f]+$/.exec(pod?.job ?? '')?.[0] ?? '';
  /** The process of the sidecar in a pod, on this machine. */
  function processOf(pod: WarmPod | undefined): number {
    const found = readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8')
          .split('\0')
          .includes(`EXECUTION_ID=${idOf(pod)}`);
      } catch {
        return false; // It has ended meanwhile.
      }
    });
    expect(found).toHaveLength(1);
    return Number(found[0]);
  }
});
