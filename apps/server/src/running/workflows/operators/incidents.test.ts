import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { bpmn, deployWorkflow, start } from '../../../testing/workflows.ts';

const { call, chain, end, file, flow, gateway } = bpmn;

/** A workflow that stops with an incident unless `x` is a number above 0. */
const judging = file([
  start(),
  gateway('exclusive', 'which'),
  end('good', { x: '=x' }),
  chain('start', 'which'),
  flow('which', 'good', '=x > 0'),
]);

/** Calls a process that calls {@link judging}, and 120 times one that ends at once. */
const calling = file(
  [
    start(),
    gateway('parallel', 'fork'),
    call('calls', 'middle', { in: { x: '=x' } }),
    call('quick', 'short', { loop: { over: '=for i in 1..120 return i', as: 'i' } }),
    gateway('parallel', 'join'),
    end('end'),
    chain('start', 'fork', 'calls', 'join', 'end'),
    chain('fork', 'quick', 'join'),
  ],
  {
    processes: [
      bpmn.process('middle', [
        start(),
        call('below', 'inner', { in: { x: '=x' } }),
        end('e2'),
        chain('start', 'below', 'e2'),
      ]),
      bpmn.process('inner', [
        start(),
        gateway('exclusive', 'which'),
        end('e3'),
        chain('start', 'which'),
        flow('which', 'e3', '=x > 0'),
      ]),
      bpmn.process('short', [start(), end('e4'), chain('start', 'e4')]),
    ].map((one, at) => one.replaceAll(/"start(_|")/g, `"start${at}$1`)),
  },
);

/** Requests of the owner, with headers. */
const callWith =
  ({ platform: { addresses }, loginSession }: TestKethub) =>
  (path: string, headers: Record<string, string>) =>
    fetch(`${addresses.api}${path}`, { headers: { authorization: `Bearer ${loginSession}`, ...headers } });

describe.each(databases())('incidents of all workflows on $name', (kind) => {
  let platform: TestKethub;
  let serviceId: string;
  const ids: string[] = [];

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    const { client } = platform;
    const { service } = await deployWorkflow(client, 'Judged', judging, []);
    serviceId = service.id;
    const other = await deployWorkflow(client, 'Other', judging, []);
    for (const x of [-1, -2, -3]) {
      const { id } = await client.startJob({ serviceId, json: { x }, headers: { prefer: 'wait=60' } });
      ids.push(id);
    }
    await client.startJob({ serviceId, json: { x: 5 }, headers: { prefer: 'wait=60' } });
    await client.startJob({ serviceId: other.service.id, json: { x: -4 }, headers: { prefer: 'wait=60' } });
  });
  afterAll(() => platform.close());

  test('are listed newest first, in pages and by what they have in common', async () => {
    const { client } = platform;
    const all = await client.listAllWorkflowIncidents({});
    expect(all.map(({ instanceId }) => instanceId).slice(1)).toEqual(ids.toReversed());
    expect(all[1]).toMatchObject({
      serviceId,
      version: '1.0.0',
      elementId: 'which',
      error: { failedElement: 'which' },
    });
    const page = await client.listAllWorkflowIncidents({ serviceId, limit: 2 });
    expect(page.map(({ instanceId }) => instanceId)).toEqual([ids[2], ids[1]]);
    expect(await client.listAllWorkflowIncidents({ elementId: 'another' })).toEqual([]);
    expect(await client.listAllWorkflowIncidents({ errorCode: all[0]?.error.errorCode ?? '' })).toHaveLength(4);
    const { client: stranger } = await platform.signIn(`stranger-${kind.name.toLowerCase()}`);
    expect(await stranger.listAllWorkflowIncidents({})).toEqual([]);
    await expect(stranger.listAllWorkflowIncidents({ serviceId })).rejects.toMatchObject({ status: 404 });
  });

  test('are grouped by their cause, the largest group first', async () => {
    const groups = await platform.client.listWorkflowIncidentGroups({});
    expect(groups).toMatchObject([
      {
        serviceId,
        serviceName: 'Judged',
        elementId: 'which',
        incidents: 3,
        instances: 3,
        newest: { instanceId: ids[2] },
      },
      { serviceName: 'Other', incidents: 1 },
    ]);
  });

  test('instances are counted, and filtered by phase, version, incidents and time', async () => {
    const { client } = platform;
    expect(await client.countWorkflowInstances({ serviceId })).toEqual({
      counted: 4,
      isPartial: false,
      phases: { RUNNING: 3, COMPLETED: 1 },
      withIncidents: 3,
    });
    const found = async (filter: object) => (await client.listWorkflowInstances({ serviceId, ...filter })).length;
    expect(await found({ phase: 'COMPLETED' })).toBe(1);
    expect(await found({ hasIncidents: true })).toBe(3);
    expect(await found({ hasIncidents: false, limit: 3 })).toBe(1);
    expect(await found({ version: '2.0.0' })).toBe(0);
    expect(await found({ elementId: 'which' })).toBe(3);
    expect(await found({ elementId: 'which', errorCode: 'WORKFLOW_ERROR' })).toBe(3);
    expect(await found({ elementId: 'good' })).toBe(0);
    expect(await found({ errorCode: 'x' })).toBe(0);
    const counted = async (filter: object) => (await client.countWorkflowInstances({ serviceId, ...filter })).counted;
    expect(await counted({ elementId: 'which' })).toBe(3);
    expect(await counted({ version: '2.0.0' })).toBe(0);
    expect(await counted({ from: '2000-01-01 00:00:00', to: '2100-01-01 00:00:00' })).toBe(4);
    await expect(counted({ to: '2026-02-31 00:00:00' })).rejects.toMatchObject({ status: 400 });
    expect(await found({ from: '2000-01-01 00:00:00', to: '2100-01-01 00:00:00' })).toBe(4);
    expect(await found({ from: '2100-01-01 00:00:00' })).toBe(0);
    await expect(found({ from: '2026-02-31 00:00:00' })).rejects.toMatchObject({ status: 400 });
  });

  test('an instance is waited for, and keeps its variables when it has ended', async () => {
    const { client } = platform;
    const { id: instanceId } = await client.startJob({ serviceId, json: { x: -9 }, headers: { prefer: 'wait=60' } });
    const call = callWith(platform);
    const first = await call(`/workflow-instances/${instanceId}`, {});
    const tag = first.headers.get('etag') ?? '';
    expect((await call(`/workflow-instances/${instanceId}`, { 'if-none-match': tag })).status).toBe(304);
    const waiting = call(`/workflow-instances/${instanceId}`, { 'if-none-match': tag, prefer: 'wait=60' });
    const { length: seen } = (await (await call(`/workflow-instances/${instanceId}/journal`, {})).json()) as unknown[];
    const journal = call(`/workflow-instances/${instanceId}/journal?after=${seen}`, { prefer: 'wait=60' });
    const retry = {
      instanceId,
      incident: (await client.getWorkflowInstance({ instanceId })).openIncidents[0]?.incident ?? 0,
    };
    await client.retryWorkflowIncident({ ...retry, json: { variables: { x: 3 } } });
    expect((await waiting).status).toBe(200);
    expect((await (await journal).json()) as unknown[]).not.toEqual([]);
    const ended = async () => (await client.getWorkflowInstance({ instanceId })).phase;
    await expect.poll(ended, { timeout: 30_000 }).toBe('COMPLETED');
    // One that has ended is not waited for.
    const last = await call(`/workflow-instances/${instanceId}`, { prefer: 'wait=60' });
    expect(last.headers.get('preference-applied')).toBeNull();
    expect(await last.json()).toMatchObject({ variables: { x: 3 } });
  });

  test('are tried again together, with a corrected variable', async () => {
    const { client } = platform;
    expect(await client.retryWorkflowIncidents({ json: { serviceId, elementId: 'another' } })).toEqual({
      retried: 0,
      foreign: 0,
      isLeft: false,
    });
    await expect(
      client.retryWorkflowIncidents({ json: { serviceId, variables: { $secrets: { a: 'b' } } } }),
    ).rejects.toMatchObject({ status: 400 });
    const receipt = await client.retryWorkflowIncidents({ json: { serviceId, variables: { x: 7 } } });
    expect(receipt).toEqual({ retried: 3, foreign: 0, isLeft: false });
    for (const executionId of ids) {
      const ended = async () => (await client.getOwnedExecution({ executionId })).status;
      await expect.poll(ended, { timeout: 30_000 }).toBe('SUCCEEDED');
      expect(await client.getOwnedResult({ executionId })).toMatchObject({ x: 7 });
    }
    expect(await client.listWorkflowIncidents({ serviceId })).toEqual([]);
  });

  test('a caller stands still while what it has called does, in lists, filters and counts', async () => {
    const { client } = platform;
    const { service } = await deployWorkflow(client, 'Calling', calling, []);
    const asked = { serviceId: service.id };
    const { id: instanceId } = await client.startJob({ serviceId: service.id, json: { x: -1 } });
    const read = () => client.getWorkflowInstance({ instanceId });
    await expect.poll(async () => (await read()).childIncidents, { timeout: 60_000 }).toBe(1);
    // The 120 others have ended, and are newer than the child that stands still.
    await expect.poll(async () => (await read()).activities.length, { timeout: 60_000 }).toBe(1);
    const { children, activities, incidents } = await read();
    expect(incidents).toBe(0);
    expect(children).toHaveLength(100);
    const [{ childInstanceId: middle = '', childIncidents } = {}] = activities.filter(
      ({ elementId }) => elementId === 'calls',
    );
    expect(childIncidents).toBe(1);
    expect(children.map(({ id }) => id)).not.toContain(middle);
    const { childIncidents: below, activities: called } = await client.getWorkflowInstance({ instanceId: middle });
    expect(below).toBe(1);
    const inner = called.find(({ elementId }) => elementId === 'below')?.childInstanceId ?? '';
    expect(await client.getWorkflowInstance({ instanceId: inner })).toMatchObject({ incidents: 1, childIncidents: 0 });
    const withIncidents = await client.listWorkflowInstances({ ...asked, hasIncidents: true });
    expect(withIncidents.map(({ id }) => id).toSorted()).toEqual([instanceId, middle, inner].toSorted());
    const others = await client.listWorkflowInstances({ ...asked, hasIncidents: false });
    expect(others.filter(({ id }) => [instanceId, middle, inner].includes(id))).toEqual([]);
    expect((await client.countWorkflowInstances(asked)).withIncidents).toBe(3);
    await client.retryWorkflowIncidents({ json: { serviceId: service.id, variables: { x: 1 } } });
    await expect.poll(async () => (await read()).phase, { timeout: 60_000 }).toBe('COMPLETED');
    expect(await read()).toMatchObject({ incidents: 0, childIncidents: 0 });
    expect((await client.countWorkflowInstances(asked)).withIncidents).toBe(0);
  });

  test('a caller that is cancelled stands still no more', async () => {
    const { client } = platform;
    const { service } = await deployWorkflow(client, 'Cancelled', calling, []);
    const { id } = await client.startJob({ serviceId: service.id, json: { x: -1 } });
    const incidentCount = async () => (await client.countWorkflowInstances({ serviceId: service.id })).withIncidents;
    await expect.poll(incidentCount, { timeout: 60_000 }).toBe(3);
    await client.cancelOwnedExecution({ executionId: id });
    await expect.poll(incidentCount, { timeout: 60_000 }).toBe(0);
  });
});
