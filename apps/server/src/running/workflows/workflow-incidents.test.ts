import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { asFile, bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const program = `
def run(data):
    if data == "deep":
        value = 1
        for _ in range(300):
            value = [value]
        return value
    return {"doubled": data * 2}
`;

const { chain, end, file, flow, gateway, service } = bpmn;

describe.each(databases())('incidents of workflows on $name', (kind) => {
  let platform: TestKethub;
  let worker: DeployedService;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    worker = await deploy(platform.client, 'Doubler', { 'src/__init__.py': '', 'src/program.py': program });
  });
  afterAll(() => platform.close());

  const deployed = (name: string, xml: string) => deployWorkflow(platform.client, name, xml, [worker.service]);
  const doubles = (id: string, data: string, more: object = {}) =>
    service(id, { in: { data }, ...more, extensions: calls(worker.service.id) });

  test('a variable that is corrected with a retry is so for the rest of the workflow', async () => {
    const xml = file([
      start(),
      gateway('exclusive', 'which'),
      doubles('double', '=x', { out: { answer: '=doubled' } }),
      end('end', { x: '=x', answer: '=answer' }),
      chain('start', 'which'),
      flow('which', 'double', '=x > 1'),
      flow('which', 'end', '=x <= 1'),
      chain('double', 'end'),
    ]);
    const { client } = platform;
    const { service: workflow } = await deployed('Corrected', xml);
    const { id } = await client.startJob({ serviceId: workflow.id, json: { x: 'a' }, headers: { prefer: 'wait=60' } });
    const [incident] = await client.listWorkflowIncidents({ serviceId: workflow.id });
    await client.retryWorkflowIncident({
      instanceId: id,
      incident: incident?.incident ?? 0,
      json: { variables: { x: 5 } },
    });
    await expect
      .poll(async () => (await client.getOwnedExecution({ executionId: id })).status, { timeout: 30_000 })
      .toBe('SUCCEEDED');
    expect(await client.getOwnedResult({ executionId: id })).toMatchObject({ x: 5, answer: 10 });
  });

  test('a call of a process that the file does not have is an incident that says so, and goes on once it is mended', async () => {
    const called = bpmn.process('called', [bpmn.start('cs'), end('ce'), chain('cs', 'ce')]);
    const xml = file(
      [start(), bpmn.call('call', '=which'), end('end', { done: '=true' }), chain('start', 'call', 'end')],
      {
        processes: [called],
      },
    );
    const { client } = platform;
    const { service: workflow } = await deployed('Calling', xml);
    const { id, status } = await client.startJob({
      serviceId: workflow.id,
      json: { which: 'elsewhere' },
      headers: { prefer: 'wait=60' },
    });
    expect(status).toBe('FAILED');
    const [incident] = await client.listWorkflowIncidents({ serviceId: workflow.id });
    expect(incident).toMatchObject({ elementId: 'call', type: 'CALLED_ELEMENT_ERROR' });
    expect(await client.getOwnedResult({ executionId: id })).toMatchObject({
      errors: [
        { failedElement: 'call', message: expect.stringMatching(/no executable process elsewhere.*called/) as string },
      ],
    });
    await client.retryWorkflowIncident({
      instanceId: id,
      incident: incident?.incident ?? 0,
      json: { variables: { which: 'called' } },
    });
    await expect
      .poll(async () => (await client.getOwnedExecution({ executionId: id })).status, { timeout: 30_000 })
      .toBe('SUCCEEDED');
    expect(await client.getOwnedResult({ executionId: id })).toMatchObject({ done: true });
  });

  test('a start that never comes, and a call of what is not there, are refused when the workflow is deployed', async () => {
    const xml = file([
      bpmn.start('timed', bpmn.timer('cycle', '=x')),
      bpmn.call('call', 'elsewhere'),
      chain('timed', 'call'),
    ]);
    const saved = await platform.client.createService({ body: workflowForm({ name: 'Never', source: asFile(xml) }) });
    await expect(
      platform.client.publishServiceVersion({
        serviceId: saved.id,
        version: '1.0.0',
        json: { visibility: 'INTERNAL' },
      }),
    ).rejects.toMatchObject({
      status: 422,
      errors: [
        { elementId: 'call', code: 'CALLED_ELEMENT' },
        { elementId: 'timed', code: 'TIMER' },
      ],
    });
  });

  test('the steps of mending say that a task with a version never calls another one', async () => {
    const fixed = { in: { data: '="deep"' }, extensions: calls(worker.service.id, { serviceVersion: '1.0.0' }) };
    const xml = file([start(), service('double', fixed), end('end'), chain('start', 'double', 'end')]);
    const workflow = await deployed('Fixed', xml);
    await (await callerOf(workflow)).finish({});
    const [incident] = await platform.client.listWorkflowIncidents({ serviceId: workflow.service.id });
    expect(incident?.remedy).toMatch(
      /The task names version 1\.0\.0.*publish a new version of the workflow.*Cancel this/,
    );
    expect(incident?.remedy).not.toContain('newest version');
  });

  test('what a service returns nested too deep is its failure, with the ids of the call', async () => {
    const xml = file([start(), doubles('double', '="deep"'), end('end'), chain('start', 'double', 'end')]);
    const workflow = await deployed('Deep', xml);
    const app = await callerOf(workflow);
    const { id, status } = await app.finish({});
    expect(status).toBe('FAILED');
    const [incident] = await platform.client.listWorkflowIncidents({ serviceId: workflow.service.id });
    expect(incident?.remedy).toContain(`Subscribe the application ${workflow.caller.id} to that version`);
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({
      errors: [
        {
          errorCode: 'HUB_SERVICE_FAILED',
          message: expect.stringContaining('nested') as string,
          serviceId: worker.service.id,
          applicationId: workflow.caller.id,
        },
      ],
    });
  });
});
