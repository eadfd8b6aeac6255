import { NAMESPACE, openCluster } from '@kethub/runtime/testing/cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../../../../script/kubernetes.ts';
import { poolUser } from '../../testing/data-pools.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { kubernetesSettings } from '../../testing/kubernetes.ts';

const PROGRAM = `
import os, time
from pathlib import Path
import numpy
from kethub.datapool import DataPool
from kethub.secret import SecretValue

def run(data, seconds: int = 0, token: SecretValue = None, graphs: DataPool = None):
    print("began", flush=True)
    time.sleep(seconds)
    if graphs is None:
        return {"slept": seconds}
    print("it has the secret", token.unwrap() == "s3cret-of-a-tenant")
    Path("/var/runtime/output/note.txt").write_text("from a pod of " + os.uname().nodename)
    with graphs.open("a.txt") as file:
        return {"sum": int(numpy.sum(data)), "pool": file.read()}
`;
const OBJECTS = [
  '/apis/batch/v1/namespaces/{namespace}/jobs',
  '/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies',
  '/api/v1/namespaces/{namespace}/pods',
  '/api/v1/namespaces/{namespace}/secrets',
];

describe.skipIf(process.getuid?.() !== 0)('a platform whose executions are jobs of a real Kubernetes', () => {
  let cluster: Cluster;
  let kethub: TestKethub;
  let app: Caller;
  let endpoint: string;

  beforeAll(async () => {
    cluster = await openCluster();
    kethub = await startTestKethub(sqlite, {
      ...(await kubernetesSettings(cluster)),
      KETHUB_KUBERNETES_WARM_PODS: '1',
    });
    const files = { 'src/program.py': PROGRAM, 'requirements.txt': 'numpy\n' };
    // One processor of the node stays free for a second pod.
    const service = await deploy(kethub.client, 'Sum', files, {
      configuration: { cpus: 0.5, memoryGb: 0.5 },
    });
    app = await callerOf(service);
    endpoint = service.endpoint;
  }, 3_600_000);
  afterAll(async () => {
    await kethub.close();
    await cluster.stop();
  });

  const statusOf = async (id: string): Promise<unknown> =>
    (await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } })).body;

  /** Opens the live log of an execution and returns its text when this line is in it. */
  const logUntil = async (id: string, line: string): Promise<string> => {
    const headers = { authorization: `Bearer ${app.bearer}`, accept: 'text/event-stream' };
    const answer = await fetch(`${endpoint}/${id}/log`, { headers });
    let text = '';
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes(line)) break;
    }
    return text;
  };

  /** Waits until the namespace has no object of an execution, whose removal follows its end. */
  const nothingLeft = async (): Promise<void> => {
    for (const one of OBJECTS)
      for (;;) {
        const { body } = await cluster.ask('GET', one.replace('{namespace}', NAMESPACE));
        if ((body['items'] as unknown[]).length === 0) break;
        await pause(100);
      }
  };

  test('callers see no difference: numpy, data pool, secret, result, file and log', async () => {
    const ada = await poolUser(kethub, kethub.loginSession);
    const pool = await ada.create();
    await ada.upload(pool, 'a.txt', 'of a data pool');
    const { id } = await app.start({
      data: [1, 2, 39],
      graphs: { id: pool.id, ref: 'DATAPOOL' },
      $secrets: { token: 's3cret-of-a-tenant' },
    });
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ sum: 42, pool: 'of a data pool' });
    expect((await app.request('GET', `/${id}/result/note.txt`)).text).toBe('from a pod of service');
    const log = (await app.request('GET', `/${id}/log`)).text;
    expect(log).toContain('it has the secret True');
    expect(log).not.toContain('s3cret-of-a-tenant');
    await nothingLeft();
  });

  test('its log is live, and a cancellation leaves nothing in the cluster', async () => {
    const { id } = await app.start({ data: [], seconds: 600 });
    expect(await logUntil(id, 'began')).not.toContain('event: end');
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBeLessThan(300);
    expect(await statusOf(id)).toMatchObject({ status: 'CANCELLED' });
    await nothingLeft();
  });

  test('a restart of the platform in the middle changes nothing for the execution', async () => {
    const { id } = await app.start({ data: [], seconds: 20 });
    await logUntil(id, 'began');
    await kethub.restart();
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ slept: 20 });
    const log = (await app.request('GET', `/${id}/log`)).text;
    expect(log.split('began')).toHaveLength(2);
    await nothingLeft();
  });

  test('a pod waits for a version whose owner asks for it, takes its execution, and goes when the version retires', async () => {
    const service = await deploy(kethub.client, 'Warm', { 'src/program.py': 'def run():\n    return {"n": 1}' }, {
      configuration: { cpus: 0.2, memoryGb: 0.25, warmPods: 1 },
    }); // prettier-ignore
    const caller = await callerOf(service);
    const waiting = async (): Promise<string[]> => {
      const where = `${OBJECTS[2]?.replace('{namespace}', NAMESPACE)}?labelSelector=kethub.io/warm,!kethub.io/execution`;
      const { items } = (await cluster.ask('GET', where)).body as { items: { metadata: { uid: string }; status: object }[] };
      return items.filter(({ status }) => JSON.stringify(status).includes('"ready":true')).map(({ metadata }) => metadata.uid);
    }; // prettier-ignore
    const run = async (): Promise<void> => {
      const { id } = await caller.start({});
      const { body } = await caller.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
      expect(body).toMatchObject({ status: 'SUCCEEDED' });
    };
    await run();
    const seen = new Set<string>();
    for (let round = 0; round < 2; round++) {
      let next: string | undefined;
      while ((next = (await waiting()).find((uid) => !seen.has(uid))) === undefined) await pause(100);
      seen.add(next);
      // It takes an execution as soon as it has the code. Another pod comes in its place.
      while ((await waiting()).includes(next)) await run();
    }
    await kethub.client.retireServiceVersion({ serviceId: service.service.id, version: '1.0.0', json: {} });
    await nothingLeft();
  }, 400_000);
});
