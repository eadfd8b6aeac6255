import type { PlatformClient } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const patient = { timeout: 30_000 };
/** Milliseconds for tests that wait several times. */
const long = { timeout: 180_000 };

describe.each(databases())('what runs at the same time on $name', (kind) => {
  let kethub: TestKethub;
  let client: PlatformClient;
  let serviceId: string;
  let otherId: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, {
      KETHUB_WORKER_CPUS: '2',
      KETHUB_WORKER_MEMORY_MB: '3000',
      KETHUB_WORKER_GPUS: 'A100=1',
    });
    ({ client } = kethub);
    serviceId = (await build(client, 'Probe', probe)).service.id;
    otherId = (await build(client, 'Other', probe)).service.id;
  });
  afterAll(() => kethub.close());

  const call = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: { authorization: `Bearer ${kethub.loginSession}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as object };
  };
  const sleep = async (service = serviceId): Promise<string> =>
    (await client.startJobOfVersion({ serviceId: service, version: '1.0.0', json: { params: { sleep: 600 } } })).id;
  const status = async (id: string): Promise<string> => (await client.getOwnedExecution({ executionId: id })).status;
  const becomes = (id: string, expected: string) => expect.poll(() => status(id), patient).toBe(expected);
  const cancel = async (...ids: string[]): Promise<void> => {
    for (const id of ids) await client.cancelOwnedExecution({ executionId: id });
  };

  test('is no more than the machine has; what is cancelled makes room when its processes are gone', long, async () => {
    const [first, second, third] = [await sleep(), await sleep(), await sleep()];
    await becomes(first, 'RUNNING');
    await becomes(second, 'RUNNING');
    expect(await status(third)).toBe('PENDING');
    await cancel(first);
    await becomes(third, 'RUNNING');
    // It is handed over a moment after it is claimed.
    let most = 0;
    const running = async (): Promise<string[]> => {
      const ids = (await kethub.kethub.runtime.status()).running.map(({ executionId }) => executionId);
      most = Math.max(most, ids.length);
      return ids.toSorted();
    };
    await expect.poll(running, patient).toEqual([second, third].toSorted());
    expect(most).toBe(2);
    await cancel(second, third);
  });

  test('is no more of a service than its provider has set', long, async () => {
    const none = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
    const path = `/services/${serviceId}/limits`;
    expect((await call('PUT', path, { ...none, executionsAtOnce: 1 })).body).toEqual({ ...none, executionsAtOnce: 1 });
    const [first, second] = [await sleep(), await sleep()];
    await becomes(first, 'RUNNING');
    // Another service does run meanwhile.
    expect(
      (
        await client.startJobOfVersion({
          serviceId: otherId,
          version: '1.0.0',
          json: {},
          headers: { prefer: 'wait=60' },
        })
      ).status,
    ).toBe('SUCCEEDED');
    expect(await status(second)).toBe('PENDING');
    await cancel(first);
    await becomes(second, 'RUNNING');
    await cancel(second);
    expect((await call('PUT', path, none)).body).toEqual({ ...none, executionsAtOnce: null });
  });

  test.each([
    ['cpus', { cpus: 3 }, '3 CPUs are asked for, and the largest machine has 2'],
    ['memoryGb', { memoryGb: 4 }, '4 GB are asked for, and the largest machine has 2.92 for executions'],
    ['gpu', { gpu: { count: 2, type: 'A100' } }, '2 GPUs of type A100 are asked for, and the largest machine has 1'],
    ['gpu', { gpu: { count: 1, type: 'T4' } }, 'no GPU of type T4 is available on this installation'],
  ])('is nothing that no machine has: %s', async (member, configuration, detail) => {
    const path = `/services/${otherId}/versions/1.0.0`;
    expect((await call('PUT', `${path}/configuration`, configuration)).status).toBe(200);
    const errors = [{ pointer: `/configuration/${member}`, detail }];
    const published = await call('PUT', `${path}/publication`, { visibility: 'INTERNAL' });
    expect(published).toMatchObject({ status: 409, body: { errors } });
    const started = await call('POST', `${path}/executions`, {});
    expect(started).toMatchObject({ status: 409, body: { detail: expect.stringContaining(detail) } });
  });

  test('an owner who takes all that a day-long service may have leaves room for the next one', long, async () => {
    const path = `/services/${otherId}/versions/1.0.0/configuration`;
    expect((await call('PUT', path, { runTimeSeconds: 86_400, cpus: 2 })).status).toBe(200);
    const whole = await call('POST', `/services/${otherId}/versions/1.0.0/executions`, {});
    expect(whole).toMatchObject({ status: 409, body: { detail: expect.stringContaining('50 % of a machine') } });
    expect((await call('PUT', path, { runTimeSeconds: 86_400, cpus: 0.5, memoryGb: 0.25 })).status).toBe(200);
    const all = await Promise.all(Array.from({ length: 8 }, () => sleep(otherId)));
    await expect
      .poll(async () => (await Promise.all(all.map(status))).filter((one) => one === 'RUNNING').length, patient)
      .toBe(2);
    const grace = await kethub.signIn('grace');
    const hers = (await build(grace.client, 'Hers', probe)).service.id;
    expect(
      (
        await grace.client.startJobOfVersion({
          serviceId: hers,
          version: '1.0.0',
          json: {},
          headers: { prefer: 'wait=60' },
        })
      ).status,
    ).toBe('SUCCEEDED');
    expect((await Promise.all(all.map(status))).filter((one) => one === 'RUNNING')).toHaveLength(2);
    await cancel(...all);
    expect((await call('PUT', path, {})).status).toBe(200);
  });

  test('a GPU that is there is given to one at a time', long, async () => {
    const gpu = { gpu: { count: 1, type: 'a100' } };
    await call('PUT', `/services/${otherId}/versions/1.0.0/configuration`, gpu);
    const [first, second] = [await sleep(otherId), await sleep(otherId)];
    await becomes(first, 'RUNNING');
    expect(
      (await client.startJobOfVersion({ serviceId, version: '1.0.0', json: {}, headers: { prefer: 'wait=60' } }))
        .status,
    ).toBe('SUCCEEDED');
    expect(await status(second)).toBe('PENDING');
    await cancel(first);
    await becomes(second, 'RUNNING');
    await cancel(second);
  });
});
