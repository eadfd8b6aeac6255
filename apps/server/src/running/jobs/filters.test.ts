import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const text = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

describe.each(databases())('executions that are found again on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let application: Caller;
  let job: string;
  let failed: string;
  let called: string;
  const input = '{"data": 12345678901234567890, "params": {"return": 1}}';

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    deployed = await deploy(kethub.client, 'Probe', probe);
    application = await callerOf(deployed);
    const { service } = deployed;
    const run = async (json: Record<string, unknown>) =>
      (await kethub.client.startJob({ serviceId: service.id, json, headers: { prefer: 'wait=60' } })).id;
    job = await run({ params: { return: 1 }, $secrets: { token: 'hidden' }, $tags: ['kept'] });
    failed = await run({ params: { raise: 'as asked' } });
    const answer = await application.request('POST', '/', { body: input, headers: { prefer: 'wait=60' } });
    called = (answer.body as { id: string }).id;
  });
  afterAll(() => kethub.close());

  const found = async (query: Parameters<typeof kethub.client.listOwnedExecutions>[0]): Promise<string[]> =>
    (await kethub.client.listOwnedExecutions(query)).map(({ id }) => id);

  test('a list is restricted by status, version, origin and time, and its next page as well', async () => {
    const me = await kethub.client.getMe();
    expect(await found({ status: 'FAILED,UNKNOWN' })).toEqual([failed]);
    expect(await found({ version: '1.0.0' })).toEqual([called, failed, job]);
    expect(await found({ version: '2.0.0' })).toEqual([]);
    expect(await found({ applicationId: deployed.application.id })).toEqual([called]);
    expect(await found({ personId: me.id })).toEqual([failed, job]);
    expect(await found({ tag: 'kept', status: 'SUCCEEDED' })).toEqual([job]);
    expect(await found({ tag: 'kept', status: 'FAILED' })).toEqual([]);
    expect(await found({ tasks: false, workflowId: job })).toEqual([]);
    const now = Date.now();
    expect(await found({ from: text(now - DAY_MS), to: text(now + DAY_MS) })).toHaveLength(3);
    expect(await found({ to: text(now - DAY_MS) })).toEqual([]);
    const page = await kethub.client.listOwnedExecutions.response({ personId: me.id, limit: 1 });
    expect(page.headers.get('link')).toContain(`personId=${me.id}&limit=1&cursor=`);
    const provided = await kethub.client.listProvidedExecutions({ serviceId: deployed.service.id, status: 'FAILED' });
    expect(provided.map(({ id }) => id)).toEqual([failed]);
    await expect(found({ from: '2026-02-30 00:00:00' })).rejects.toMatchObject({ status: 400 });
    await expect(found({ status: 'DONE' })).rejects.toMatchObject({ status: 400 });
  });

  test('are counted by status, per day and hour', async () => {
    const counts = await kethub.client.countOwnedExecutions({});
    expect(counts.total).toEqual({ SUCCEEDED: 2, FAILED: 1 });
    const summed = counts.times.reduce((sum, { counts: here }) => sum + (here.SUCCEEDED ?? 0), 0);
    expect(summed).toBe(2);
    const provided = await kethub.client.countProvidedExecutions({ serviceId: deployed.service.id, per: 'hour' });
    expect(provided.total).toEqual({ SUCCEEDED: 2, FAILED: 1 });
    const long = kethub.client.countOwnedExecutions({ from: '2020-01-01 00:00:00' });
    await expect(long).rejects.toMatchObject({ status: 400 });
  });

  test('have their input still, byte for byte and without secrets and tags, for their owner only', async () => {
    const of = async (executionId: string): Promise<string> =>
      (await kethub.client.getOwnedInput.response({ executionId })).text();
    expect(await of(called)).toBe(input);
    expect(JSON.parse(await of(job))).toEqual({ params: { return: 1 } });
    const grace = await kethub.signIn('grace');
    await expect(grace.client.getOwnedInput({ executionId: job })).rejects.toMatchObject({
      code: 'execution-not-found',
    });
    const long = { data: 'x'.repeat(70_000) };
    const { id } = await application.finish(long);
    await expect(of(id)).rejects.toMatchObject({ code: 'input-not-kept' });
  });
});
