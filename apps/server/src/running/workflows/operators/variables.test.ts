import { jsonTextOf } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { callerOf, member } from '../../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../../testing/kethub.ts';
import { bpmn, calls, deployWorkflow, start } from '../../../testing/workflows.ts';

const { catchEvent, chain, end, file, message, script, service, subProcess } = bpmn;
const LARGE = '12345678901234567890';

/** Waits for a message twice: in the process, and in a sub-process that has a variable of its own. */
const waiting = file(
  [
    start(),
    script('first', 'x', '=n + 1'),
    catchEvent('wait', message('told'), { out: { x: '=x * 2' } }),
    subProcess(
      'inner',
      [
        bpmn.start('begin_in'),
        catchEvent('again', message('told'), {}),
        end('done_in'),
        chain('begin_in', 'again', 'done_in'),
      ],
      { in: { own: '=x' } },
    ),
    end('end', { x: '=x' }),
    chain('start', 'first', 'wait', 'inner', 'end'),
  ],
  { messages: { told: '=key' } },
);
const program = 'def run(data=0):\n    return {"doubled": data * 2}\n';

describe.each(databases())('variables over time on $name', (kind) => {
  let platform: TestKethub;
  let doubler: DeployedService;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    doubler = await deploy(platform.client, 'Doubler', { 'src/__init__.py': '', 'src/program.py': program });
  });
  afterAll(() => platform.close());

  test('those of each scope are shown now, at the end, and after every step, with every digit', async () => {
    const { client } = platform;
    const workflow = await deployWorkflow(client, 'Waiting', waiting, []);
    const { id: serviceId } = workflow.service;
    const jsonText = `{"n": ${LARGE}, "key": "k"}`;
    const { id: instanceId } = await client.startJob({ serviceId, jsonText });
    const publish = () => client.publishWorkflowMessage({ serviceId, json: { name: 'told', correlationKey: 'k' } });
    const at = async (elementId: string) => {
      const active = async () =>
        (await client.getWorkflowInstance({ instanceId })).activities.map((one) => one.elementId);
      await expect.poll(active, { timeout: 30_000 }).toContain(elementId);
    };
    await at('wait');
    await publish();
    await at('again');
    const now = await client.getWorkflowVariables({ instanceId });
    expect(jsonTextOf(now)).toContain(`"x":24691357802469135782`);
    expect(now.scopes.map(({ elementId, scope }) => [elementId, scope === 0])).toEqual([
      ['process', true],
      ['inner', false],
    ]);
    expect(await client.getWorkflowVariables({ instanceId, elementId: 'inner' })).toMatchObject({
      scopes: [{ elementId: 'inner' }],
    });
    await publish();
    const ended = async () => (await client.getWorkflowInstance({ instanceId })).phase;
    await expect.poll(ended, { timeout: 30_000 }).toBe('COMPLETED');
    const journal = await client.getWorkflowJournal({ instanceId, limit: 1_000 });
    const seqOf = (type: string, elementId: string): number =>
      journal.find((entry) => entry.type === type && entry['elementId'] === elementId)?.seq ?? 0;
    const textAfter = async (step: number) => jsonTextOf(await client.getWorkflowVariables({ instanceId, step })) ?? '';
    expect(await textAfter(1)).toContain(`"variables":{"n":${LARGE},"key":"k"}`);
    expect(await textAfter(seqOf('activated', 'wait'))).toContain(`"x":12345678901234567891`);
    expect(await textAfter(seqOf('completed', 'wait'))).toContain(`"x":24691357802469135782`);
    expect(await textAfter(seqOf('activated', 'again'))).toContain(`"variables":{"own":24691357802469135782}`);
    const last = await client.getWorkflowVariables({ instanceId });
    expect(last).toMatchObject({
      step: journal.length,
      isPartial: false,
      scopes: [{ elementId: 'process', scope: 0 }],
    });
    expect(jsonTextOf(last)).toContain(`"x":24691357802469135782`);
    // A step that is not there yet is the present.
    expect(await client.getWorkflowVariables({ instanceId, step: 1_000_000 })).toEqual(last);
    for (const { seq } of journal) expect(await textAfter(seq)).toContain(LARGE);
  });

  test('those of an instance of somebody else are not shown', async () => {
    const workflow = await deployWorkflow(platform.client, 'Foreign', waiting, []);
    const app = await callerOf(workflow);
    const { client: stranger } = await platform.signIn(`stranger-${kind.name.toLowerCase()}`);
    const id = member((await app.request('POST', '/', { body: '{"n": 1, "key": "f"}' })).body, 'id');
    await expect(stranger.getWorkflowVariables({ instanceId: id })).rejects.toMatchObject({ status: 404 });
  });

  test('a journal whose events do not follow from one another is not replayed', async () => {
    const { client } = platform;
    const { service: own } = await deployWorkflow(client, 'Rewritten', waiting, []);
    const { id: instanceId } = await client.startJob({ serviceId: own.id, json: { n: 1, key: 'r' } });
    const active = async () => (await client.getWorkflowInstance({ instanceId })).activities.length;
    await expect.poll(active, { timeout: 30_000 }).toBe(1);
    const events = [1, 5].map((seq) => ({ seq, at: 0, type: 'event', event: { type: 'timerDue', timer: 1 } }));
    const entry = JSON.stringify([{ ...events[0], event: { type: 'start', variables: {}, seed: '' } }, events[1]]);
    await platform.platform.database.write(async (transaction) => {
      await transaction.updateTable('workflow_journal').set({ entry }).where('instance_id', '=', instanceId).execute();
    });
    const { step } = await client.getWorkflowVariables({ instanceId });
    await expect(client.getWorkflowVariables({ instanceId, step: step - 1 })).rejects.toMatchObject({
      status: 410,
      code: 'history-not-available',
    });
  });

  test('executions of tasks are found by their instance and element, also after the end', async () => {
    const { client } = platform;
    const xml = file([
      start(),
      service('once', { in: { data: '=x' }, out: { x: '=doubled' }, extensions: calls(doubler.service.id) }),
      service('twice', { in: { data: '=x' }, out: { x: '=doubled' }, extensions: calls(doubler.service.id) }),
      end('end', { x: '=x' }),
      chain('start', 'once', 'twice', 'end'),
    ]);
    const workflow = await deployWorkflow(client, 'Twice', xml, [doubler.service]);
    const { id: workflowId } = await client.startJob({
      serviceId: workflow.service.id,
      json: { x: 3 },
      headers: { prefer: 'wait=60' },
    });
    const found = async (filter: object) =>
      (await client.listOwnedExecutions({ workflowId, ...filter })).map((one) => one.workflowElementId);
    await expect.poll(() => found({ workflowInstanceId: workflowId }), { timeout: 60_000 }).toEqual(['twice', 'once']);
    expect(await found({ workflowInstanceId: workflowId, workflowElementId: 'once' })).toEqual(['once']);
    expect(await found({ workflowInstanceId: workflowId, workflowElementId: 'o_ce' })).toEqual([]);
    // The record of each names its task, but not to the provider of the service.
    const [first] = await client.listOwnedExecutions({
      workflowId,
      workflowElementId: 'once',
      workflowInstanceId: workflowId,
    });
    const executionId = first?.id ?? '';
    const task = { workflowId, workflowInstanceId: workflowId, workflowElementId: 'once' };
    expect(await client.getOwnedRecord({ executionId })).toMatchObject(task);
    const provided = await client.getProvidedRecord({ serviceId: doubler.service.id, executionId });
    expect(Object.keys(provided).filter((name) => name.startsWith('workflow'))).toEqual([]);
    await expect(client.listOwnedExecutions({ workflowInstanceId: workflowId })).rejects.toMatchObject({ status: 400 });
  });
});
