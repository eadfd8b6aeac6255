import { workflowForm } from '@kethub/client';
import { rebuild, toStored } from '@kethub/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { createGraphs } from './graphs.ts';
import { entriesOf } from './journal.ts';
import { startSecondEngine } from '../../testing/second-engine.ts';
import { asFile, bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const program = `
import os
import time


def run(data, params=None, token=None):
    if data == "fail":
        raise ValueError("no luck")
    if data == "wait":
        time.sleep(600)
    return {"doubled": data * 2, "params": params}
`;
const python = (text: string) => ({ 'src/__init__.py': '', 'src/program.py': text });

const { chain, end, errorEnd, boundary, error, flow, gateway, service, file } = bpmn;

interface Envelope {
  readonly errorCode: string;
  readonly failedElement: string;
  readonly message: string;
  readonly serviceId?: string;
  readonly applicationId?: string;
  readonly response?: Readonly<Record<string, unknown>>;
}

describe.each(databases())('workflow services on $name', (kind) => {
  let platform: TestKethub;
  let second: Awaited<ReturnType<typeof startSecondEngine>> = null;
  let worker: DeployedService;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    // On PostgreSQL two workers race for everything below.
    second = await startSecondEngine(platform);
    worker = await deploy(platform.client, 'Doubler', python(program));
  });
  afterAll(async () => {
    await second?.close();
    await platform.close();
  });

  const deployed = (name: string, xml: string) => deployWorkflow(platform.client, name, xml, [worker.service]);
  const doubles = (id: string, data: string, more: object = {}) =>
    service(id, { in: { data }, ...more, extensions: calls(worker.service.id) });
  const publish = (serviceId: string) =>
    platform.client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
  const succeeds = (executionId: string) =>
    expect
      .poll(async () => (await platform.client.getOwnedExecution({ executionId })).status, { timeout: 30_000 })
      .toBe('SUCCEEDED');
  const result = async (app: Caller, id: string) => (await app.request('GET', `/${id}/result`)).body;
  const errorsOf = async (app: Caller, id: string) => ((await result(app, id)) as { errors?: Envelope[] }).errors ?? [];

  test('a workflow is saved, deployed, subscribed to and started like any service', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const xml = file([
      start(schema),
      doubles('double', '=n', { out: { once: '=doubled' } }),
      doubles('again', '=once', { out: { twice: '=doubled' } }),
      end('end', { answer: '=twice' }),
      chain('start', 'double', 'again', 'end'),
    ]);
    const app = await callerOf(await deployed('Twice', xml));
    const accepted = await app.start({ n: 5 });
    expect(accepted.status).toBe('PENDING');
    const early = await app.request('GET', `/${accepted.id}/result`);
    expect([200, 404]).toContain(early.status);
    if (early.status === 404) expect(member(early.body, 'type')).toContain('result-not-available');
    const { id, status } = await app.finish({ n: 5 });
    expect(status).toBe('SUCCEEDED');
    const body = (await result(app, id)) as { _links: Record<string, { href: string }>; _embedded: object };
    expect(body).toMatchObject({ answer: 20, _embedded: { status: { id, status: 'SUCCEEDED' } } });
    expect(Object.keys(body).toSorted()).toEqual(['_embedded', '_links', 'answer']);
    expect(Object.keys(body._links).toSorted()).toEqual(['self', 'status']);
    const log = await app.request('GET', `/${id}/log`);
    expect(JSON.stringify(log.body)).toContain('double has ended');
    const late = await app.request('PUT', `/${id}/cancel`);
    expect([late.status, member(late.body, 'status')]).toEqual([200, 'SUCCEEDED']);
    // The tests below do not count its calls.
    const first = async () => member((await app.request('GET', `/${accepted.id}`)).body, 'status');
    await expect.poll(first, { timeout: 30_000 }).toBe('SUCCEEDED');
  });

  test('its OpenAPI is generated from the Request Schema, and every request is validated before execution', async () => {
    const schema = {
      type: 'object',
      properties: {
        mode: { enum: ['fast', 'exact'], description: 'How.' },
        shots: { type: 'integer' },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        pool: { type: 'object', properties: { id: { type: 'string', format: 'uuid' }, ref: { const: 'datapool' } } },
        list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'number' } },
      },
      required: ['mode', 'shots'],
      additionalProperties: false,
    };
    const xml = file([start(schema), end('end', { shown: '=mode' }), chain('start', 'end')]);
    const workflow = await deployed('Schema', xml);
    const app = await callerOf(workflow);
    const openApi = await app.request('GET', '/openapi.json');
    expect(openApi.body).toMatchObject({
      paths: {
        '/': {
          post: {
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Request' } } } },
          },
        },
      },
      components: { schemas: { Request: schema, ResultResponse: { properties: { shown: {} } } } },
    });
    const refused = await app.request('POST', '/', {
      body: JSON.stringify({
        mode: 'slow',
        name: 'Ada Lovelace',
        list: [],
        more: 1,
        pool: { id: 'x', ref: 'datapool' },
      }),
    });
    expect(refused.status).toBe(400);
    const pointers = (refused.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
    expect(new Set(pointers)).toEqual(new Set(['/list', '/mode', '/more', '/name', '/pool/id', '/shots']));
    expect((await app.request('GET', '/')).body).toEqual([]);
    expect((await app.finish({ mode: 'fast', shots: 1 })).status).toBe('SUCCEEDED');
  });

  test('"Using one is rejected at deploy time with 422 (ReservedOutputVariableException)"; it can be saved all the same', async () => {
    const names = 'executionId executionState serviceError triggeringTenantId errors _links _embedded'.split(' ');
    const xml = file([
      start(),
      end('end', Object.fromEntries(names.map((name) => [name, '=1']))),
      chain('start', 'end'),
    ]);
    const saved = await platform.client.createService({
      body: workflowForm({ name: 'Reserved', source: asFile(xml) }),
    });
    expect(saved.versions[0]?.workflow?.problems).toHaveLength(names.length);
    await expect(publish(saved.id)).rejects.toMatchObject({
      status: 422,
      errors: names.map(() =>
        expect.objectContaining({ elementId: 'end', code: 'ReservedOutputVariableException', pointer: '/end' }),
      ),
    });
    const mended = file([start(), end('end', { fine: '=1' }), chain('start', 'end')]);
    const draft = await platform.client.replaceSource({ serviceId: saved.id, version: '1.0.0', body: asFile(mended) });
    expect(draft).toMatchObject({ workflow: { problems: [] } });
    expect((await publish(saved.id)).state).toBe('PUBLISHED');
  });

  test('a task whose application is not subscribed keeps the workflow from being deployed', async () => {
    const xml = file([start(), doubles('double', '=1'), end('end'), chain('start', 'double', 'end')]);
    const saved = await platform.client.createService({
      body: workflowForm({ name: 'Unsubscribed', source: asFile(xml) }),
    });
    const refusal = { status: 422, errors: [{ elementId: 'double', code: 'NOT_SUBSCRIBED' }] };
    await expect(publish(saved.id)).rejects.toMatchObject(refusal);
    const application = await platform.client.createApplication({ json: { name: 'Without subscriptions' } });
    await platform.client.setWorkflowApplication({
      serviceId: saved.id,
      version: '1.0.0',
      json: { applicationId: application.id },
    });
    await expect(publish(saved.id)).rejects.toMatchObject(refusal);
    await platform.client.subscribe({ applicationId: application.id, json: { serviceId: worker.service.id } });
    expect((await publish(saved.id)).state).toBe('PUBLISHED');
  });

  test('"An uncaught platform service task failure keeps the process instance alive with an open incident", one envelope per failing branch', async () => {
    const xml = file([
      start(),
      gateway('parallel', 'split'),
      doubles('one', '="fail"'),
      doubles('two', '="fail"'),
      doubles('three', '=1', { out: { three: '=doubled' } }),
      gateway('parallel', 'join'),
      end('end'),
      chain('start', 'split'),
      ...['one', 'two', 'three'].flatMap((id) => [chain('split', id, 'join')]),
      chain('join', 'end'),
    ]);
    const workflow = await deployed('Branches', xml);
    const app = await callerOf(workflow);
    const { id, status } = await app.finish({});
    expect(status).toBe('FAILED');
    await expect.poll(async () => (await errorsOf(app, id)).length, { timeout: 30_000 }).toBe(2);
    for (const envelope of await errorsOf(app, id)) {
      expect(envelope).toMatchObject({
        errorCode: 'HUB_SERVICE_FAILED',
        message: 'no luck',
        serviceId: worker.service.id,
        applicationId: workflow.caller.id,
        response: { detail: 'no luck', _embedded: { status: { status: 'FAILED' } }, _links: expect.anything() },
      });
      expect(['one', 'two']).toContain(envelope.failedElement);
    }
    const log = async () => JSON.stringify((await app.request('GET', `/${id}/log`)).body);
    await expect.poll(log, { timeout: 30_000 }).toContain('three has ended');
    // The instance lives: it can be cancelled.
    expect((await app.request('PUT', `/${id}/cancel`)).body).toMatchObject({ status: 'CANCELLED' });
    expect((await errorsOf(app, id)).at(-1)).toMatchObject({ errorCode: 'WORKFLOW_ERROR', failedElement: 'process' });
    await expect.poll(log, { timeout: 30_000 }).toContain('CANCELLED');
    expect(await log()).not.toContain('is tried again');
  });

  test('"A boundary error event on a platform service task catches SERVICE_FAILED"; the envelope is in <hostId>_serviceError', async () => {
    const caught = (name: string, extensions = '') =>
      file(
        [
          start(),
          doubles('double', '="fail"'),
          boundary('catch', 'double', error('SERVICE_FAILED'), { extensions }),
          end('fine'),
          end('end', { code: `=${name}.errorCode`, why: `=${name}.message` }),
          chain('start', 'double', 'fine'),
          flow('catch', 'end'),
        ],
        { errors: ['SERVICE_FAILED'] },
      );
    const app = await callerOf(await deployed('Caught', caught('double_serviceError')));
    const { id, status } = await app.finish({});
    expect([status, await result(app, id)]).toEqual([
      'SUCCEEDED',
      expect.objectContaining({ code: 'HUB_SERVICE_FAILED', why: 'no luck' }),
    ]);
    const own = await callerOf(await deployed('Payload', caught('mine', '<kethub:payload variable="mine"/>')));
    const second = await own.finish({});
    expect(await result(own, second.id)).toMatchObject({ code: 'HUB_SERVICE_FAILED' });
  });

  test('"The workflow author may throw an own error with an error end event at the process root"', async () => {
    const xml = file([start(), errorEnd('broken', 'TOO_SMALL', '="n is " + string(n)'), chain('start', 'broken')], {
      errors: ['TOO_SMALL'],
    });
    const app = await callerOf(await deployed('Own error', xml));
    const { id, status } = await app.finish({ n: 3 });
    expect(status).toBe('FAILED');
    expect(await errorsOf(app, id)).toEqual([{ errorCode: 'TOO_SMALL', failedElement: 'broken', message: 'n is 3' }]);
  });

  test('cancelling the workflow cancels what runs', async () => {
    const xml = file([start(), doubles('double', '="wait"'), end('end'), chain('start', 'double', 'end')]);
    const workflow = await deployed('Cancelled', xml);
    const app = await callerOf(workflow);
    const { id } = await app.start({});
    const ofWorker = async () => platform.client.listProvidedExecutions({ serviceId: worker.service.id });
    await expect.poll(async () => (await ofWorker())[0]?.status, { timeout: 30_000 }).toBe('RUNNING');
    await app.request('PUT', `/${id}/cancel`);
    await expect.poll(async () => (await ofWorker())[0]?.status, { timeout: 30_000 }).toBe('CANCELLED');
    expect((await app.request('GET', `/${id}`)).body).toMatchObject({ status: 'CANCELLED' });
  });

  test('timers are due after a restart as well, and a job of one task runs once', async () => {
    const xml = file([
      start(),
      bpmn.catchEvent('wait', bpmn.timer('duration', 'PT1S')),
      doubles('double', '=1', { out: { two: '=doubled' } }),
      end('end', { two: '=two' }),
      chain('start', 'wait', 'double', 'end'),
    ]);
    const app = await callerOf(await deployed('Timer', xml));
    const before = (await platform.client.listProvidedExecutions({ serviceId: worker.service.id })).length;
    const { id } = await app.start({});
    await platform.restart();
    await expect
      .poll(async () => member((await app.request('GET', `/${id}`)).body, 'status'), { timeout: 30_000 })
      .toBe('SUCCEEDED');
    expect(await result(app, id)).toMatchObject({ two: 2 });
    expect((await platform.client.listProvidedExecutions({ serviceId: worker.service.id })).length).toBe(before + 1);
  });

  test('an operator sees where it failed and with what, mends the cause, and has it tried again', async () => {
    const xml = file([
      start(),
      doubles('double', '=input', { out: { answer: '=doubled' } }),
      end('end', { answer: '=answer' }),
      chain('start', 'double', 'end'),
    ]);
    const { client } = platform;
    const { service: workflow } = await deployed('Mended', xml);
    const job = await client.startJob({
      serviceId: workflow.id,
      json: { input: 'fail' },
      headers: { prefer: 'wait=60' },
    });
    expect(job.status).toBe('FAILED');
    const [incident] = await client.listWorkflowIncidents({ serviceId: workflow.id });
    expect(incident).toMatchObject({ instanceId: job.id, elementId: 'double', type: 'SERVICE_FAILED' });
    const at = await client.getWorkflowInstance({ instanceId: job.id });
    expect(at).toMatchObject({
      incidents: 1,
      activities: [{ elementId: 'double' }],
      openIncidents: [{ variables: { input: 'fail', data: 'fail' } }],
    });
    // A stranger sees nothing of it.
    const { client: stranger } = await platform.signIn(`stranger-${kind.name.toLowerCase()}`);
    await expect(stranger.getWorkflowInstance({ instanceId: job.id })).rejects.toMatchObject({ status: 404 });
    await client.retryWorkflowIncident({
      instanceId: job.id,
      incident: incident?.incident ?? 0,
      json: { variables: { input: 4, data: 4 } },
    });
    await succeeds(job.id);
    expect(await client.getOwnedResult({ executionId: job.id })).toMatchObject({ answer: 8 });
    expect(JSON.stringify(await client.getOwnedLog({ executionId: job.id }))).toContain('double is tried again');
    expect(await client.listWorkflowIncidents({ serviceId: workflow.id })).toEqual([]);
  });

  test('messages wait for instances, instances wait for messages, and one starts an instance', async () => {
    const waiting = file(
      [
        start(),
        bpmn.catchEvent('arrived', bpmn.message('arrived'), { out: { what: '=what' } }),
        end('end', { what: '=what' }),
        chain('start', 'arrived', 'end'),
      ],
      { messages: { arrived: '=order' } },
    );
    const { client } = platform;
    const { service: workflow } = await deployed('Waiting', waiting);
    const message = (order: string) => ({
      name: 'arrived',
      correlationKey: order,
      variables: { what: `it: ${order}` },
    });
    await client.publishWorkflowMessage({ serviceId: workflow.id, json: message('early') });
    const early = await client.startJob({
      serviceId: workflow.id,
      json: { order: 'early' },
      headers: { prefer: 'wait=60' },
    });
    expect(await client.getOwnedResult({ executionId: early.id })).toMatchObject({ what: 'it: early' });
    const late = await client.startJob({ serviceId: workflow.id, json: { order: 'late' } });
    await expect
      .poll(async () => (await client.getWorkflowInstance({ instanceId: late.id })).activities, { timeout: 30_000 })
      .toMatchObject([{ elementId: 'arrived', message: { name: 'arrived', correlationKey: 'late' } }]);
    await client.publishWorkflowMessage({ serviceId: workflow.id, json: message('other') });
    await client.publishWorkflowMessage({ serviceId: workflow.id, json: message('late') });
    await succeeds(late.id);
    const begins = file(
      [bpmn.start('start', bpmn.message('begin')), end('end', { who: '=who' }), chain('start', 'end')],
      { messages: { begin: null } },
    );
    const { service: begun } = await deployed('Begun', begins);
    const { started } = await client.publishWorkflowMessage({
      serviceId: begun.id,
      json: { name: 'begin', variables: { who: 'Ada' } },
    });
    expect(started).toHaveLength(1);
    await succeeds(started[0] ?? '');
    expect(await client.getOwnedResult({ executionId: started[0] ?? '' })).toMatchObject({ who: 'Ada' });
  });

  test('many instances at the same time call each service once, however many workers there are', async () => {
    const xml = file([
      start(),
      doubles('many', '=each', { loop: { over: '=[1, 2, 3]', as: 'each', into: 'all', collect: '=doubled' } }),
      bpmn.catchEvent('wait', bpmn.timer('duration', 'PT0.1S')),
      end('end', { all: '=all' }),
      chain('start', 'many', 'wait', 'end'),
    ]);
    const app = await callerOf(await deployed('Many', xml));
    const before = (await platform.client.listProvidedExecutions({ serviceId: worker.service.id })).length;
    const ended = await Promise.all(Array.from({ length: 8 }, () => app.finish({})));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    for (const { id } of ended) expect(await result(app, id)).toMatchObject({ all: [2, 4, 6] });
    expect((await platform.client.listProvidedExecutions({ serviceId: worker.service.id })).length).toBe(before + 24);
  });

  test('a timer start event starts instances on a schedule, of the version that was deployed last', async () => {
    const xml = (what: string) =>
      file([
        bpmn.start('start', bpmn.timer('cycle', 'R2/PT1S')),
        end('end', { what: `="${what}"` }),
        chain('start', 'end'),
      ]);
    const { client } = platform;
    const first = await client.createService({
      body: workflowForm({ name: 'Scheduled', source: asFile(xml('first')) }),
    });
    await publish(first.id);
    await expect
      .poll(async () => (await client.listWorkflowInstances({ serviceId: first.id })).map(({ phase }) => phase), {
        timeout: 30_000,
      })
      .toEqual(['COMPLETED', 'COMPLETED']);
    await expect(client.startJob({ serviceId: first.id, json: {} })).rejects.toMatchObject({ status: 400 });
  });

  test('the state of an instance can be rebuilt from its journal', async () => {
    const { database, blobs } = platform.kethub.platform;
    const rows = await database.read
      .selectFrom('workflow_instances')
      .selectAll()
      .where('state', 'is not', null)
      .execute();
    expect(rows.length).toBeGreaterThan(5);
    const graphs = createGraphs({ database, blobs });
    for (const row of rows) {
      const graph = await graphs.load(row.service_version_id);
      if (!graph) throw new Error('A graph is gone');
      const journal = await database.read
        .selectFrom('workflow_journal')
        .selectAll()
        .where('instance_id', '=', row.id)
        .orderBy('seq')
        .execute();
      const rebuilt = rebuild(graph, (await Promise.all(journal.map(entriesOf))).flat());
      expect(rebuilt && toStored(rebuilt)).toEqual(JSON.parse(row.state ?? ''));
    }
  });
});
