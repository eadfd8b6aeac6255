import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, deployWorkflow, type DeployedWorkflow } from '../../testing/workflows.ts';
import { DEPTH, RoundRobin } from './advance/index.ts';
import { createWorkflows } from './port.ts';
import { Postponed } from './messages.ts';
import { publishThrown, rateOfThrown } from './thrown.ts';

const { catchEvent, chain, end, file, flow, gateway, message, start, throwMessage } = bpmn;

const waiting = { timeout: 60_000 };

describe.each(databases())('messages that workflows throw on $name', (kind) => {
  let kethub: TestKethub;
  let workflow: DeployedWorkflow;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    const parts = [
      start('plain'),
      gateway('exclusive', 'what', 'wait'),
      chain('plain', 'what'),
      flow('what', 'send', '=mode = "send"'),
      flow('what', 'echo', '=mode = "echo"'),
      catchEvent('wait', message('go')),
      end('got', { text: '=text' }),
      chain('what', 'wait', 'got'),
      throwMessage('send', 'go', { in: { text: '=said' } }),
      end('sent'),
      chain('send', 'sent'),
      start('heard', message('echo')),
      throwMessage('echo', 'echo', { ends: true, in: { mode: '="echo"' } }),
      chain('heard', 'echo'),
    ];
    const xml = file(parts, { messages: { go: '=key', echo: null } });
    workflow = await deployWorkflow(kethub.client, 'Thrower', xml);
  });
  afterAll(() => kethub.close());

  const begin = async (input: Readonly<Record<string, string>>): Promise<string> =>
    (await kethub.client.startJob({ serviceId: workflow.service.id, json: input })).id;
  const read = () => kethub.kethub.platform.database.read;
  const waits = (id: string) =>
    expect
      .poll(
        () => read().selectFrom('workflow_subscriptions').select('instance_id').where('instance_id', '=', id).execute(),
        waiting,
      )
      .toHaveLength(1);
  const messages = (name: string) =>
    read().selectFrom('workflow_messages').selectAll().where('name', '=', name).execute();

  test('go to the instance that waits for their key, or wait for it', async () => {
    const first = await begin({ mode: 'wait', key: 'k' });
    const other = await begin({ mode: 'wait', key: 'other' });
    await waits(first);
    await waits(other);
    await begin({ mode: 'send', key: 'k', said: 'hello' });
    const ended = async (id: string) => (await kethub.client.getWorkflowInstance({ instanceId: id })).phase;
    await expect.poll(() => ended(first), waiting).toBe('COMPLETED');
    expect(await kethub.client.getOwnedResult({ executionId: first })).toMatchObject({ text: 'hello' });
    expect(await ended(other)).toBe('RUNNING');
    await begin({ mode: 'send', key: 'later', said: 'early' });
    await expect.poll(async () => (await messages('go')).map(({ owner }) => owner), waiting).toEqual([null]);
    const late = await begin({ mode: 'wait', key: 'later' });
    await expect.poll(() => ended(late), waiting).toBe('COMPLETED');
    expect(await kethub.client.getOwnedResult({ executionId: late })).toMatchObject({ text: 'early' });
    await expect.poll(() => messages('go'), waiting).toEqual([]);
  });

  test('reach, of what an application has started, nothing else', async () => {
    const mine = await begin({ mode: 'wait', key: 'private' });
    await waits(mine);
    const app = await callerOf(workflow);
    const body = JSON.stringify({ mode: 'send', key: 'private', said: 'no' });
    expect((await app.request('POST', '/', { body })).status).toBe(201);
    await expect
      .poll(async () => (await messages('go')).map(({ owner, subscription_id }) => [owner, subscription_id]), waiting)
      .toEqual([[null, workflow.subscription.id]]);
    expect((await kethub.client.getWorkflowInstance({ instanceId: mine })).phase).toBe('RUNNING');
  });

  test('start others as deep as processes may call one another, and no deeper', async () => {
    await begin({ mode: 'echo' });
    const deepest = async () => Math.max(...(await messages('echo')).map(({ owner, depth }) => (owner ? 0 : depth)));
    await expect.poll(deepest, waiting).toBe(DEPTH + 1);
    const rows = await read()
      .selectFrom('workflow_instances')
      .innerJoin('workflow_journal', 'workflow_journal.instance_id', 'workflow_instances.id')
      .select('workflow_instances.id')
      .where('entry', 'like', '%"startEvent":"heard"%')
      .where('workflow_journal.seq', '=', 1)
      .execute();
    expect(rows).toHaveLength(DEPTH);
  });

  test('are published once, whoever else publishes them, and whoever fails to', async () => {
    const { platform } = kethub.kethub;
    await begin({ mode: 'wait', key: 'owner' });
    const { owner } = await read().selectFrom('workflow_instances').select('owner').executeTakeFirstOrThrow();
    const deepest = () => read().selectFrom('workflow_instances').select('id').where('depth', '=', DEPTH).execute();
    const before = (await deepest()).length;
    const row = { id: platform.newId(), service_id: workflow.service.id, name: 'echo', correlation_key: '' };
    const times = { created_at: platform.now(), expires_at: platform.now() + 600_000, depth: DEPTH, owner };
    await platform.database.write((transaction) =>
      transaction
        .insertInto('workflow_messages')
        .values({ ...row, variables: '{"mode":"echo"}', ...times })
        .execute(),
    );
    const publish = async (fails: boolean): Promise<void> => {
      const workflows = createWorkflows(platform);
      const accept: typeof workflows.accept = (statements, accepted) => {
        workflows.accept(statements, accepted);
        if (fails) throw new Error('It dies before the commit');
      };
      const thrown = { roundRobin: new RoundRobin(), rate: rateOfThrown(), postponed: new Postponed() };
      await publishThrown(platform, { ...thrown, workflows: { ...workflows, accept } }, () => undefined);
    };
    await publish(true);
    await Promise.all([publish(false), publish(true), publish(false)]);
    const left = () =>
      read().selectFrom('workflow_messages').select('owner').where('id', '=', row.id).executeTakeFirstOrThrow();
    await expect.poll(left, waiting).toEqual({ owner: null });
    expect(await deepest()).toHaveLength(before + 1);
  });
});

describe('the rate of messages that workflows throw', () => {
  test('is that of each owner alone', () => {
    let time = 0;
    const rate = rateOfThrown(() => time);
    for (let sent = 0; sent <= 500; sent++) rate.spend('busy', 1);
    expect([rate.allows('busy'), rate.allows('other')]).toEqual([false, true]);
    time += 1_000;
    expect(rate.allows('busy')).toBe(true);
  });
});
