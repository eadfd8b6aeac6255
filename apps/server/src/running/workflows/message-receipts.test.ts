import type { WorkflowMessageRequest } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, deployWorkflow, type DeployedWorkflow } from '../../testing/workflows.ts';

const { catchEvent, chain, end, file, message, start } = bpmn;

describe.each(databases())('messages of workflows on $name', (kind) => {
  let kethub: TestKethub;
  let workflow: DeployedWorkflow;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    const parts = [start('begun', message('begin')), catchEvent('wait', message('go')), end('end')];
    const xml = file([...parts, chain('begun', 'wait', 'end')], { messages: { begin: null, go: '=key' } });
    workflow = await deployWorkflow(kethub.client, 'Messages', xml);
  });
  afterAll(() => kethub.close());

  const send = (body: WorkflowMessageRequest) =>
    kethub.client.publishWorkflowMessage({ serviceId: workflow.service.id, json: body });
  const waits = (id: string) =>
    expect
      .poll(
        async () => {
          const { read } = kethub.kethub.platform.database;
          return read
            .selectFrom('workflow_subscriptions')
            .select('instance_id')
            .where('instance_id', '=', id)
            .execute();
        },
        { timeout: 30_000 },
      )
      .toHaveLength(1);

  test('say what became of them, and distinguish a wrong key from a wrong name', async () => {
    const begun = await send({ name: 'begin', correlationKey: 'k', variables: { key: 'k' } });
    expect(begun).toMatchObject({ outcome: 'STARTED', started: [expect.any(String)], delivered: 0 });
    const [id = ''] = begun.started;
    const second = await send({ name: 'begin', correlationKey: 'k', variables: { key: 'k' } });
    expect(second).toMatchObject({ outcome: 'KEY_ACTIVE', started: [], detail: expect.stringContaining(id) as string });
    expect(await send({ name: 'begin', correlationKey: 'other', variables: { key: 'x' } })).toMatchObject({
      outcome: 'STARTED',
    });
    await waits(id);
    expect(await send({ name: 'nothing' })).toMatchObject({ outcome: 'UNKNOWN_NAME', delivered: 0 });
    expect(await send({ name: 'go', correlationKey: 'wrong' })).toMatchObject({
      outcome: 'OTHER_KEY',
      expiresAt: expect.any(String) as string,
    });
    const delivered = await send({ name: 'go', correlationKey: 'k', messageId: 'once' });
    expect(delivered).toMatchObject({ outcome: 'DELIVERED', delivered: 1 });
    expect(delivered.expiresAt).toBeUndefined();
    // Its id is taken until its time is up.
    await expect(send({ name: 'go', correlationKey: 'k', messageId: 'once' })).rejects.toMatchObject({ status: 409 });
    await expect
      .poll(async () => (await kethub.client.getWorkflowInstance({ instanceId: id })).phase, { timeout: 30_000 })
      .toBe('COMPLETED');
    expect(await send({ name: 'begin', correlationKey: 'k', variables: { key: 'k' } })).toMatchObject({
      outcome: 'STARTED',
    });
  });

  test('an id is free again once its time is up', async () => {
    const one = { name: 'go', correlationKey: 'later', messageId: 'm' };
    await send(one);
    await expect(send(one)).rejects.toMatchObject({ status: 409 });
    const { database } = kethub.kethub.platform;
    await database.write((transaction) =>
      transaction.updateTable('workflow_messages').set({ expires_at: 1 }).where('message_id', '=', 'm').execute(),
    );
    expect((await send(one)).id).toEqual(expect.any(String));
  });

  test('under an Idempotency-Key the first answer is given again, at both addresses', async () => {
    const app = await callerOf(workflow);
    const body = JSON.stringify({ name: 'begin', variables: { key: 'i' } });
    const headers = { 'idempotency-key': 'a' };
    const ofApplication = () => app.request('POST', '/workflow-messages', { body, headers });
    const [first, again] = [await ofApplication(), await ofApplication()];
    expect(again.body).toEqual(first.body);
    const ofOwner = () =>
      kethub.client.publishWorkflowMessage({
        serviceId: workflow.service.id,
        json: { name: 'begin', variables: { key: 'j' } },
        headers: { 'idempotency-key': 'b' },
      });
    const [one, other] = [await ofOwner(), await ofOwner()];
    expect(one.started).toHaveLength(1);
    expect(other).toEqual(one);
  });
});
