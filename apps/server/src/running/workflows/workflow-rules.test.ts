import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { asFile, bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

// The rules of the specification for workflows, with services that really run: in sub-processes, loops and called
// processes as well. packages/workflow/src/specification.test.ts tests the same rules of the engine alone.

const program = `
from typing import Optional

from kethub.datapool import DataPool
from kethub.secret import SecretValue


def run(data=None, graphs: Optional[DataPool] = None, token: Optional[SecretValue] = None):
    if data == "fail":
        raise ValueError("no luck")
    if data == "wait":
        import time
        time.sleep(600)
    return {
        "seen": data,
        "files": graphs and {name: graphs.open(name).read() for name in graphs.list_files()},
        "length": token and len(token.unwrap()),
    }
`;
const { boundary, call, catchEvent, chain, end, error, errorEnd, file, flow, gateway, message, process } = bpmn;
const SECRET = 'a-secret-of-these-rules';

interface Failed {
  readonly errors?: readonly { readonly failedElement: string; readonly errorCode: string; readonly message: string }[];
}

describe.each(databases())('rules of workflow services on $name', (kind) => {
  let platform: TestKethub;
  let worker: DeployedService;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    worker = await deploy(platform.client, 'Worker', { 'src/__init__.py': '', 'src/program.py': program });
  });
  afterAll(() => platform.close());

  const works = (id: string, data: string, more: bpmn.Activity = {}) =>
    bpmn.service(id, { ...more, in: { data, ...more.in }, extensions: calls(worker.service.id) });
  const deployed = (name: string, xml: string) => deployWorkflow(platform.client, name, xml, [worker.service]);
  const result = async (app: Caller, id: string) => (await app.request('GET', `/${id}/result`)).body as Failed;
  const statusOf = async (app: Caller, id: string) => member((await app.request('GET', `/${id}`)).body, 'status');
  const ends = (app: Caller, id: string, status: string) =>
    expect.poll(() => statusOf(app, id), { timeout: 30_000 }).toBe(status);

  /** The same task in a sub-process, in each round of a loop, and in a called process. */
  const everywhere = (data: string, catching: boolean, more: bpmn.Activity = {}) => {
    const child = process('child', [
      bpmn.start('cs'),
      works('called', data, { out: { seen: '=seen', length: '=length' }, ...more }),
      bpmn.end('ce'),
      chain('cs', 'called', 'ce'),
    ]);
    const hosts = ['sub', 'loop', 'call'];
    return file(
      [
        start(),
        gateway('parallel', 'split'),
        bpmn.subProcess(
          'sub',
          [
            bpmn.start('ss'),
            works('inner', data, { out: { a: '=seen', la: '=length' }, ...more }),
            chain('ss', 'inner'),
          ],
          { out: { a: '=a', la: '=la' } },
        ),
        works('loop', data, {
          loop: { over: '=[1, 2]', into: 'b', collect: '={seen: seen, length: length}' },
          ...more,
        }),
        call('call', 'child', { out: { c: '=seen', lc: '=length' } }),
        gateway('parallel', 'join'),
        end('end', { a: '=a', la: '=la', b: '=b', c: '=c', lc: '=lc' }),
        chain('start', 'split'),
        ...hosts.map((host) => chain('split', host, 'join')),
        chain('join', 'end'),
        ...(catching
          ? [
              ...hosts.map((host) => boundary(`at_${host}`, host, error('SERVICE_FAILED'))),
              gateway('parallel', 'both'),
              end('caught', Object.fromEntries(hosts.map((host) => [host, `=${host}_serviceError`]))),
              ...hosts.map((host) => chain(`at_${host}`, 'both')),
              chain('both', 'caught'),
            ]
          : []),
      ],
      { errors: ['SERVICE_FAILED'], processes: [child] },
    );
  };

  test('"The success discriminator is the absence of a top-level errors key. There is no top-level status field.", in both shapes and on both interfaces', async () => {
    const xml = file(
      [
        start(),
        gateway('exclusive', 'which', 'fine'),
        end('fine', { answer: '=n' }),
        errorEnd('bad', 'TOO_LARGE', '="n is " + string(n)'),
        chain('start', 'which', 'fine'),
        flow('which', 'bad', '=n > 5'),
      ],
      { errors: ['TOO_LARGE'] },
    );
    const { client } = platform;
    const workflow = await deployed('Discriminator', xml);
    const app = await callerOf(workflow);
    const fine = await app.finish({ n: 1 });
    const bad = await app.finish({ n: 9 });
    expect(Object.keys(await result(app, fine.id)).toSorted()).toEqual(['_embedded', '_links', 'answer']);
    expect(Object.keys(await result(app, bad.id)).toSorted()).toEqual(['_embedded', '_links', 'errors']);
    for (const n of [1, 9]) {
      const job = await client.startJob({
        serviceId: workflow.service.id,
        json: { n },
        headers: { prefer: 'wait=60' },
      });
      const answer = await fetch(
        `${platform.kethub.platform.addresses.api}/workflow-service-executions/${job.id}/result`,
        { headers: { authorization: `Bearer ${platform.loginSession}` } },
      );
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body).toMatchObject({
        ...(n === 1
          ? { answer: 1 }
          : { errors: [{ errorCode: 'TOO_LARGE', failedElement: 'bad', message: 'n is 9' }] }),
        _embedded: { status: { id: job.id, status: n === 1 ? 'SUCCEEDED' : 'FAILED' } },
        _links: {
          self: { href: expect.stringMatching(new RegExp(`/service-executions/${job.id}/result$`)) as string },
          status: { href: expect.stringMatching(new RegExp(`/service-executions/${job.id}$`)) as string },
        },
      });
      expect('errors' in body).toBe(n === 9);
      expect('status' in body).toBe(false);
    }
  });

  test('"A workflow must be saved and deployed for changes to take effect."', async () => {
    const xml = (answer: number) => file([start(), end('end', { answer: `=${answer}` }), chain('start', 'end')]);
    const { client } = platform;
    const { service } = await deployed('Changed', xml(1));
    const answer = async () => {
      const { id } = await client.startJob({ serviceId: service.id, json: {}, headers: { prefer: 'wait=60' } });
      return (await client.getOwnedResult({ executionId: id })) as unknown;
    };
    const draft = await client.addServiceVersion({ serviceId: service.id, body: asFile(xml(2)) });
    expect(await answer()).toMatchObject({ answer: 1 });
    await client.publishServiceVersion({
      serviceId: service.id,
      version: draft.version,
      json: { visibility: 'INTERNAL' },
    });
    expect(await answer()).toMatchObject({ answer: 2 });
  });

  test('"Before the workflow is SUCCEEDED, FAILED or CANCELLED: 404 with a result-not-yet-available message."', async () => {
    const xml = file([
      start(),
      catchEvent('later', bpmn.timer('duration', 'PT1H')),
      end('end'),
      chain('start', 'later', 'end'),
    ]);
    const workflow = await deployed('Not yet', xml);
    const app = await callerOf(workflow);
    const { id } = await app.start({});
    const early = await app.request('GET', `/${id}/result`);
    expect([early.status, member(early.body, 'type')]).toEqual([404, expect.stringMatching(/result-not-available$/)]);
    await app.request('PUT', `/${id}/cancel`);
    const cancelled = { errors: [{ errorCode: 'WORKFLOW_ERROR' }], _embedded: { status: { status: 'CANCELLED' } } };
    expect(await result(app, id)).toMatchObject(cancelled);
  });

  test('"Each failing task adds its own envelope to errors", in a sub-process, in every round of a loop, and in a called process', async () => {
    const workflow = await deployed('Everywhere', everywhere('=input', false));
    const app = await callerOf(workflow);
    const fine = await app.finish({ input: 'x' });
    expect(await result(app, fine.id)).toMatchObject({ a: 'x', b: [{ seen: 'x' }, { seen: 'x' }], c: 'x' });
    const { id } = await app.finish({ input: 'fail' });
    await expect.poll(async () => (await result(app, id)).errors?.length, { timeout: 30_000 }).toBe(4);
    const { errors = [] } = await result(app, id);
    expect(errors.map(({ failedElement }) => failedElement).toSorted()).toEqual(['called', 'inner', 'loop', 'loop']);
    for (const envelope of errors) {
      expect(envelope).toEqual({
        errorCode: 'HUB_SERVICE_FAILED',
        failedElement: expect.any(String) as string,
        message: 'no luck',
        serviceId: worker.service.id,
        applicationId: workflow.caller.id,
        response: expect.objectContaining({ detail: 'no luck' }) as object,
      });
    }
    // The execution of a call activity is found from its caller.
    const job = await platform.client.startJob({
      serviceId: workflow.service.id,
      json: { input: 'fail' },
      headers: { prefer: 'wait=60' },
    });
    await expect
      .poll(async () => (await platform.client.getWorkflowInstance({ instanceId: job.id })).children, {
        timeout: 30_000,
      })
      .toMatchObject([{ parentId: job.id, processId: 'child', phase: 'RUNNING', incidents: 1 }]);
    const { children, activities } = await platform.client.getWorkflowInstance({ instanceId: job.id });
    const child = children[0]?.id ?? '';
    expect(activities.find(({ elementId }) => elementId === 'call')?.childInstanceId).toBe(child);
    const within = await platform.client.getWorkflowInstance({ instanceId: child });
    expect(within).toMatchObject({
      processId: 'child',
      activities: [{ elementId: 'called' }],
      openIncidents: [{ elementId: 'called', variables: { data: 'fail' } }],
    });
    await platform.client.cancelOwnedExecution({ executionId: job.id });
    await expect
      .poll(async () => (await platform.client.getWorkflowInstance({ instanceId: child })).phase, { timeout: 30_000 })
      .toBe('CANCELLED');
  });

  test('"On a caught error the envelope is stored in the process variable named <hostId>_serviceError", of a sub-process, a loop and a call activity', async () => {
    const app = await callerOf(await deployed('Caught everywhere', everywhere('="fail"', true)));
    const { id, status } = await app.finish({});
    expect(await result(app, id)).toMatchObject({
      sub: { errorCode: 'HUB_SERVICE_FAILED', failedElement: 'inner', message: 'no luck' },
      loop: { errorCode: 'HUB_SERVICE_FAILED', failedElement: 'loop' },
      call: { errorCode: 'HUB_SERVICE_FAILED', failedElement: 'called' },
    });
    expect(status).toBe('SUCCEEDED');
  });

  test('"a secret is passed to a task through the reserved input variable $secrets", in a sub-process, a loop and a called process', async () => {
    const reads = { in: { $secrets: '={token: secret_value("key")}' } };
    const workflow = await deployed('Secret everywhere', everywhere('=1', false, reads));
    const app = await callerOf(workflow);
    const { id } = await app.finish({ $secrets: { key: SECRET } });
    const { length } = SECRET;
    expect(await result(app, id)).toMatchObject({ la: length, b: [{ length }, { length }], lc: length });
    const without = await app.finish({});
    await expect.poll(async () => (await result(app, without.id)).errors?.length, { timeout: 30_000 }).toBe(4);
    const incidents = await platform.client.listWorkflowIncidents({ serviceId: workflow.service.id });
    expect(incidents.map(({ elementId }) => elementId).toSorted()).toEqual(['called', 'inner', 'loop', 'loop']);
    const job = await platform.client.startJob({
      serviceId: workflow.service.id,
      json: { $secrets: { other: SECRET } },
      headers: { prefer: 'wait=60' },
    });
    const shown = await platform.client.getWorkflowInstance({ instanceId: job.id });
    expect(shown.openIncidents.length).toBeGreaterThan(0);
    expect(JSON.stringify(shown)).not.toContain(SECRET);
  });

  test('"A data pool reference in a workflow input has id (uuid) and ref (constant datapool, lower case)"; the task reads the pool', async () => {
    const user = await poolUser(platform, platform.loginSession);
    const pool = await user.create('of workflows');
    await platform.client.uploadDataPoolFile({ dataPoolId: pool.id, name: 'a.txt', body: new Blob(['1 2']) });
    const xml = file([
      start({ type: 'object', properties: { pool: { type: 'object' } }, required: ['pool'] }),
      works('read', '=1', { in: { graphs: '=pool' }, out: { files: '=files' } }),
      end('end', { files: '=files', pool: '=pool' }),
      chain('start', 'read', 'end'),
    ]);
    const app = await callerOf(await deployed('Pool', xml));
    const reference = { id: pool.id, ref: 'datapool' };
    const { id, status } = await app.finish({ pool: reference });
    expect([status, await result(app, id)]).toEqual([
      'SUCCEEDED',
      expect.objectContaining({ files: { 'a.txt': '1 2' }, pool: reference }),
    ]);
    const foreign = { id: '01a1fd32-d765-71ab-ba39-25ede922012b', ref: 'datapool' };
    const refused = await app.request('POST', '/', { body: JSON.stringify({ pool: foreign }) });
    expect([refused.status, member(refused.body, 'type')]).toEqual([
      403,
      expect.stringContaining('data-pool-not-readable'),
    ]);
  });

  test('"Timer and message events: Scheduled or externally triggered execution": an application starts and reaches what is its own, through the gateway', async () => {
    const waits = [
      catchEvent('arrived', message('arrived'), { out: { what: '=what' } }),
      bpmn.task('pass'),
      works('long', '="wait"'),
      boundary('stop', 'long', message('stop'), { out: { why: '=what' } }),
      end('end', { what: '=what', why: '=why' }),
      chain('start', 'arrived', 'pass', 'long'),
      chain('stop', 'end'),
      bpmn.start('begun', message('begin')),
      chain('begun', 'arrived'),
    ];
    const xml = file([start(), ...waits], {
      messages: { arrived: '=order', stop: '=order', begin: null },
    });
    const workflow = await deployed('Messages', xml);
    const app = await callerOf(workflow);
    const stranger = await secondSubscriber(workflow);
    const publish = (who: Caller, body: object) =>
      who.request('POST', '/workflow-messages', { body: JSON.stringify(body) });
    const send = (who: Caller, name: string, order: string, what = 'for you') =>
      publish(who, { name, correlationKey: order, variables: { what } });
    // Before anybody waits: kept until its time is up.
    expect((await send(app, 'arrived', 'a')).status).toBe(201);
    const early = await app.start({ order: 'a' });
    const begin = () =>
      app.request('POST', '/workflow-messages', {
        body: JSON.stringify({ name: 'begin', variables: { order: 'b' } }),
        headers: { 'idempotency-key': 'begin b' },
      });
    const begun = await begin();
    const [started = ''] = (begun.body as { started: string[] }).started;
    expect((await begin()).body).toEqual(begun.body);
    expect((await app.request('GET', '/')).body).toHaveLength(2);
    const late = await app.start({ order: 'c' });
    const waiting = async (id: string) =>
      (await platform.client.getWorkflowInstance({ instanceId: id })).activities.map(({ elementId }) => elementId);
    const at = (id: string, element: string) => expect.poll(() => waiting(id), { timeout: 30_000 }).toEqual([element]);
    await at(early.id, 'long');
    await at(started, 'arrived');
    await at(late.id, 'arrived');
    // Somebody else's message finds nothing of this application, though it has the key.
    expect((await send(stranger, 'arrived', 'b', 'from a stranger')).status).toBe(201);
    await platform.restart();
    await send(app, 'arrived', 'b');
    await at(started, 'long');
    for (const order of ['a', 'b']) await send(app, 'stop', order, 'enough');
    for (const id of [early.id, started]) {
      await ends(app, id, 'SUCCEEDED');
      expect(await result(app, id)).toMatchObject({ what: 'for you', why: 'enough' });
    }
    expect(await waiting(late.id)).toEqual(['arrived']);
    // The owner of the workflow reaches all of them.
    await platform.client.publishWorkflowMessage({
      serviceId: workflow.service.id,
      json: { name: 'arrived', correlationKey: 'c' },
    });
    await at(late.id, 'long');
    await app.request('PUT', `/${late.id}/cancel`);
    expect(await refusals(app)).toEqual([400, 400, 400, 409, 415]);
    const plain = await callerOf(worker);
    expect((await send(plain, 'arrived', 'a')).status).toBe(404);
    const openApi = (await app.request('GET', '/openapi.json')).body as { paths: object };
    expect(Object.keys(openApi.paths)).toContain('/workflow-messages');

    async function refusals(who: Caller): Promise<number[]> {
      const once = { name: 'later', correlationKey: 'x', messageId: 'one', timeToLiveSeconds: 60 };
      await publish(who, once);
      // The id of a message belongs to its publisher.
      expect((await publish(stranger, once)).status).toBe(201);
      const answers = [
        await publish(who, {}),
        await publish(who, { name: 'x', more: 1 }),
        await who.request('POST', '/workflow-messages', { body: '{' }),
        await publish(who, once),
        await who.request('POST', '/workflow-messages', { body: 'x', headers: { 'content-type': 'text/plain' } }),
      ];
      return answers.map(({ status }) => status);
    }
  });

  /** Another application of the same owner, subscribed to the same workflow. */
  async function secondSubscriber(workflow: DeployedService): Promise<Caller> {
    const { client } = platform;
    const application = await client.createApplication({ json: { name: 'Stranger' } });
    const subscription = await client.subscribe({
      applicationId: application.id,
      json: { serviceId: workflow.service.id },
    });
    const [key] = application.accessKeys;
    if (!key) throw new Error('An application without an access key');
    return callerOf({
      ...workflow,
      application,
      subscription,
      endpoint: subscription.endpoint.replace(/\/$/, ''),
      accessKeyId: key.accessKeyId,
      secretAccessKey: (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
        .secretAccessKey,
    });
  }

  test('what has no end or no measure becomes an incident that says so, and the platform goes on', async () => {
    const endless = file([
      start(),
      gateway('exclusive', 'again'),
      bpmn.script('count', 'n', '=n + 1'),
      chain('start', 'again', 'count', 'again'),
    ]);
    const many = file([
      start(),
      works('many', '=each', { loop: { over: '=for i in 1..10001 return i', as: 'each' } }),
      end('end'),
      chain('start', 'many', 'end'),
    ]);
    const hungry = file([
      start(),
      bpmn.script('x', 'x', '=count(for i in 1..10000, j in 1..10000 return 1)'),
      end('end'),
      chain('start', 'x', 'end'),
    ]);
    const large = file([
      start(),
      bpmn.script('text', 'text', '=string join(for i in 1..100000 return "123456789")'),
      bpmn.script('large', 'all', '=for i in 1..60 return text'),
      catchEvent('later', bpmn.timer('duration', 'PT1H')),
      end('end'),
      chain('start', 'text', 'large', 'later', 'end'),
    ]);
    const seen = await Promise.all(
      Object.entries({ endless, many, hungry, large }).map(async ([name, xml]) => {
        const app = await callerOf(await deployed(name, xml));
        const { id, status } = await app.finish({ n: 1 });
        const { errors = [] } = await result(app, id);
        return [name, status, errors.map(({ failedElement, message }) => `${failedElement}: ${message}`).join()];
      }),
    );
    expect(seen).toEqual([
      ['endless', 'FAILED', expect.stringMatching(/^(again|count): .*100000 elements without waiting/)],
      ['many', 'FAILED', expect.stringMatching(/^many: .*10001 items, and 10000 are allowed/)],
      ['hungry', 'FAILED', expect.stringMatching(/^x: .*needs too much/)],
      ['large', 'FAILED', expect.stringMatching(/^process: .*bytes; at most/)],
    ]);
    const deep = await callerOf(await deployed('deep', file([start(), end('end'), chain('start', 'end')])));
    const refused = await deep.request('POST', '/', { body: `{"a":${'['.repeat(300)}${']'.repeat(300)}}` });
    expect(refused.status).toBe(400);
  });
});
