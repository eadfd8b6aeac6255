import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Platform } from '../../foundation/platform.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, deployWorkflow, type DeployedWorkflow } from '../../testing/workflows.ts';
import { RoundRobin } from './advance/index.ts';
import { createWorkflows } from './port.ts';
import { Postponed } from './messages.ts';
import { broadcastSignals } from './signals.ts';
import { rateOfThrown } from './thrown.ts';

const { catchEvent, chain, end, file, flow, gateway, script, signal, start, throwSignal } = bpmn;

const waiting = { timeout: 60_000 };
const MANY = 1_000;

// Counts the signals `go` until `stop` comes; begins by a request, or by the signal `begin`.
const counter = file(
  [
    start('plain'),
    start('begun', signal('begin')),
    script('zero', 'n', '=0'),
    gateway('exclusive', 'again'),
    gateway('eventBased', 'wait'),
    catchEvent('go', signal('go'), { out: { text: '=text' } }),
    script('count', 'n', '=n + 1'),
    catchEvent('stop', signal('stop')),
    end('end', { n: '=n', text: '=text' }),
    chain('plain', 'zero', 'again', 'wait', 'go', 'count', 'again'),
    chain('begun', 'zero'),
    chain('wait', 'stop', 'end'),
  ],
  { signals: ['begin', 'go', 'stop'] },
);

// Throws `go`, and then waits for it itself.
const thrower = file(
  [
    start('plain'),
    throwSignal('throw', 'go', { in: { text: '=said' } }),
    gateway('exclusive', 'what', 'done'),
    catchEvent('wait', signal('go')),
    end('done'),
    chain('plain', 'throw', 'what', 'done'),
    flow('what', 'wait', '=waits = true'),
    chain('wait', 'done'),
  ],
  { signals: ['go'] },
);

describe.each(databases())('signals of workflows on $name', (kind) => {
  let kethub: TestKethub;
  let counting: DeployedWorkflow;
  let throwing: DeployedWorkflow;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    counting = await deployWorkflow(kethub.client, 'Counter', counter);
    throwing = await deployWorkflow(kethub.client, 'Thrower', thrower);
  });
  afterAll(() => kethub.close());

  const read = () => kethub.kethub.platform.database.read;
  const begin = async ({ service: { id } }: DeployedWorkflow, input: Record<string, unknown> = {}): Promise<string> =>
    (await kethub.client.startJob({ serviceId: id, json: input })).id;
  const waitingFor = async (name: string): Promise<string[]> => {
    const rows = await read()
      .selectFrom('workflow_signal_subscriptions')
      .select('instance_id')
      .where('signal_name', '=', name)
      .execute();
    return rows.map(({ instance_id }) => instance_id);
  };
  const waits = (...ids: readonly string[]) =>
    expect.poll(() => waitingFor('go'), waiting).toEqual(expect.arrayContaining([...ids]));
  const isDelivered = () =>
    expect
      .poll(
        async () => [
          await read().selectFrom('workflow_signals').select('id').execute(),
          await read().selectFrom('workflow_events').select('id').execute(),
        ],
        waiting,
      )
      .toEqual([[], []]);
  const stopAll = async (): Promise<void> => {
    await kethub.client.broadcastWorkflowSignal({ json: { name: 'stop' } });
    await expect.poll(() => waitingFor('stop'), waiting).toEqual([]);
  };
  const resultOf = async (id: string): Promise<unknown> => {
    await expect
      .poll(async () => (await kethub.client.getWorkflowInstance({ instanceId: id })).phase, waiting)
      .toBe('COMPLETED');
    return kethub.client.getWorkflowResult({ executionId: id });
  };

  test('reach everything that waits, start what begins with them, and are not kept', async () => {
    expect(
      await kethub.client.broadcastWorkflowSignal({ json: { name: 'go', variables: { text: 'early' } } }),
    ).toMatchObject({
      name: 'go',
      waiting: 0,
      starting: 0,
      started: [],
    });
    const [first, second] = [await begin(counting), await begin(counting)];
    await waits(first, second);
    expect(await kethub.client.broadcastWorkflowSignal({ json: { name: 'begin' } })).toMatchObject({
      waiting: 0,
      starting: 1,
    });
    await expect.poll(async () => (await waitingFor('go')).length, waiting).toBe(3);
    expect(
      await kethub.client.broadcastWorkflowSignal({ json: { name: 'go', variables: { text: 'hello' } } }),
    ).toMatchObject({
      waiting: 3,
    });
    await isDelivered();
    await stopAll();
    expect(await resultOf(first)).toMatchObject({ n: 1, text: 'hello' });
    expect(await resultOf(second)).toMatchObject({ n: 1, text: 'hello' });
    expect(await read().selectFrom('workflow_signals').select('id').execute()).toEqual([]);
  });

  test('are thrown to other workflows of the owner, and not to what the thrower waits for later', async () => {
    const counted = await begin(counting);
    await waits(counted);
    const thrown = await begin(throwing, { said: 'thrown', waits: true });
    await waits(thrown);
    await isDelivered();
    expect((await kethub.client.getWorkflowInstance({ instanceId: thrown })).activities).toMatchObject([
      { elementId: 'wait', signal: { name: 'go' } },
    ]);
    await stopAll();
    expect(await resultOf(counted)).toMatchObject({ n: 1, text: 'thrown' });
    await kethub.client.broadcastWorkflowSignal({ json: { name: 'go' } });
    await resultOf(thrown);
  });

  test('of an application reach what its subscription has started, and start for it', async () => {
    const own = await begin(counting);
    const app = await callerOf(counting);
    const { id } = await app.start({});
    await waits(own, id);
    const key = { 'idempotency-key': randomUUID() };
    const send = (body: object, headers = {}) =>
      app.request('POST', '/workflow-signals', { body: JSON.stringify(body), headers });
    const sent = await send({ name: 'go', variables: { text: 'app' } }, key);
    expect(sent).toMatchObject({ status: 202, body: { waiting: 1, starting: 0, started: [] } });
    expect((await send({ name: 'go', variables: { text: 'app' } }, key)).body).toEqual(sent.body);
    await isDelivered();
    const begun = await send({ name: 'begin' });
    expect(begun).toMatchObject({ status: 202, body: { started: [expect.any(String)] } });
    const [started = ''] = (begun.body as { started: string[] }).started;
    expect((await app.request('GET', `/${started}`)).status).toBe(200);
    await waits(started);
    // Signals of an instance that an application has started reach only what its subscription has started.
    const throws = await callerOf(throwing);
    await throws.finish({ said: 'not for others' });
    await isDelivered();
    await stopAll();
    expect(await resultOf(own)).toMatchObject({ n: 0 });
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ n: 1, text: 'app' });
  });

  test('of another owner reach nothing here', async () => {
    const own = await begin(counting);
    await waits(own);
    const { client } = await kethub.signIn('eve');
    expect(await client.broadcastWorkflowSignal({ json: { name: 'go' } })).toMatchObject({ waiting: 0, starting: 0 });
    await stopAll();
    expect(await resultOf(own)).toMatchObject({ n: 0 });
  });

  test('carry no secrets, and not more than a signal may have', async () => {
    const refused = (variables: Record<string, unknown>) =>
      kethub.client.broadcastWorkflowSignal({ json: { name: 'go', variables } }).catch((error: unknown) => error);
    expect(await refused({ $secrets: { token: 'x' } })).toMatchObject({ status: 400 });
    expect(await refused({ text: 'x'.repeat(65_536) })).toMatchObject({ status: 413 });
    const app = await callerOf(counting);
    const body = JSON.stringify({ name: 'go', variables: { $secrets: {} } });
    expect((await app.request('POST', '/workflow-signals', { body })).body).toMatchObject({ status: 400 });
  });

  test('start the version that was deployed last, under a key once', async () => {
    const key = randomUUID();
    const once = () =>
      kethub.client.broadcastWorkflowSignal({ json: { name: 'begin' }, headers: { 'idempotency-key': key } });
    const [one, other] = [await once(), await once()];
    expect(other).toEqual(one);
    await isDelivered();
    await expect.poll(() => waitingFor('stop'), waiting).toHaveLength(1);
    await stopAll();
  });

  /** Instances that have not received the expected number of signals. */
  const oddlyReceived = async (ids: readonly string[], expected: number): Promise<string[]> => {
    const rows = await read().selectFrom('workflow_journal').select(['instance_id', 'entry']).execute();
    const entries = Map.groupBy(rows, ({ instance_id }) => instance_id);
    const countOf = (id: string) =>
      (entries.get(id) ?? []).reduce((sum, { entry }) => sum + entry.split('"signalReceived"').length - 1, 0);
    return ids.filter((id) => countOf(id) !== expected);
  };

  test(`reach each of ${MANY} instances once, whatever dies meanwhile`, async () => {
    const left = Array.from({ length: MANY }, (_one, at) => at);
    const some = async (): Promise<void> => {
      while (left.pop() !== undefined) await begin(counting);
    };
    await Promise.all(Array.from({ length: 8 }, some));
    await expect.poll(async () => (await waitingFor('go')).length, waiting).toBe(MANY);
    const ids = await waitingFor('go');
    expect(await kethub.client.broadcastWorkflowSignal({ json: { name: 'go' } })).toMatchObject({ waiting: MANY });
    await kethub.restart();
    await isDelivered();
    expect(await oddlyReceived(ids, 1)).toEqual([]);
    expect(await kethub.client.broadcastWorkflowSignal({ json: { name: 'go' } })).toMatchObject({ waiting: MANY });
    const { platform } = kethub.kethub;
    await Promise.all([broadcastAs(platform, true), broadcastAs(platform, false), broadcastAs(platform, true)]);
    await isDelivered();
    await stopAll();
    expect(await oddlyReceived(ids, 3)).toEqual([]);
  }, 180_000);
});

/** Delivers like another process that dies before every other commit. */
async function broadcastAs(platform: Platform, dies: boolean): Promise<void> {
  const { database } = platform;
  let writes = 0;
  const write: typeof database.write = (work) =>
    database.write(async (transaction) => {
      const done = await work(transaction);
      writes += 1;
      if (dies && writes % 2 === 1) throw new Error('It dies before the commit');
      return done;
    });
  const other: Platform = { ...platform, database: { ...database, write } };
  const own = { roundRobin: new RoundRobin(), rate: rateOfThrown(), postponed: new Postponed() };
  await broadcastSignals(other, { ...own, workflows: createWorkflows(platform) }, () => undefined);
}
