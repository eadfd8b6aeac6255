import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '@kethub/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { deployOnPremise, localTargets, startProvider, type Provider } from '../../testing/on-premise.ts';
import { bpmn, calls, deployWorkflow, start, type DeployedWorkflow } from '../../testing/workflows.ts';

type Operation = 'POST /' | 'GET /{id}' | 'GET /{id}/result';
const CLOSE = Symbol('close');
const SILENCE = Symbol('silence');
/** A body with 200, a status with its body, or a connection that is closed. */
type Reply = string | readonly [status: number, body: string] | typeof CLOSE | typeof SILENCE;

const started = JSON.stringify({ id: 'abc', status: 'PENDING', createdAt: '2026-01-01 00:00:00' });
const succeeded = JSON.stringify({ id: 'abc', status: 'SUCCEEDED' });
const failed = JSON.stringify({ id: 'abc', status: 'FAILED' });
const BOM = '\uFEFF';
const isAnInterface = "The provider's service has not the interface of managed services";
const { chain, end, service, file } = bpmn;

// Answers of providers do not depend on the database; calls that work are tested on each.
describe.each([sqlite])('tasks call services that run elsewhere and do not work on $name', (kind) => {
  let platform: TestKethub;
  let provider: Provider;
  let app: Caller;
  /** The replies; the last one is repeated. */
  let replies: Record<Operation, Reply[]>;
  let asked: Operation[];
  let keys: unknown[];

  const answer: http.RequestListener = (request, response) => {
    const { method = '', url = '' } = request;
    const operation = method === 'POST' ? 'POST /' : url.endsWith('/result') ? 'GET /{id}/result' : 'GET /{id}';
    asked.push(operation);
    if (method === 'POST') keys.push(request.headers['idempotency-key']);
    const [reply = '{}'] = replies[operation];
    if (replies[operation].length > 1) replies[operation].shift();
    if (reply === CLOSE) {
      response.destroy();
      return;
    }
    request.resume().once('end', () => {
      if (reply === SILENCE) return;
      const [status, body] = typeof reply === 'string' ? [200, reply] : reply;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  };

  /** Without output mappings: all that the service returns becomes a variable. */
  const deployed = async (name: string, url: string): Promise<DeployedWorkflow> => {
    const { service: elsewhere } = await deployOnPremise(platform.client, name, { url, timeoutSeconds: 1 });
    const xml = file([
      start(),
      service('there', { extensions: calls(elsewhere.id) }),
      end('end', { tripled: '=tripled', title: '=title' }),
      chain('start', 'there', 'end'),
    ]);
    return deployWorkflow(platform.client, `Calls ${name}`, xml, [elsewhere]);
  };
  const workflowOf = async (name: string, url: string): Promise<Caller> => callerOf(await deployed(name, url));

  beforeAll(async () => {
    platform = await startTestKethub(kind, localTargets);
    provider = await startProvider(answer);
    app = await workflowOf('Elsewhere', `${provider.url}/`);
  });
  afterAll(async () => {
    await platform.close();
    await provider.close();
  });
  beforeEach(() => {
    replies = { 'POST /': [started], 'GET /{id}': [succeeded], 'GET /{id}/result': ['{"tripled":9}'] };
    asked = [];
    keys = [];
  });

  const errorOf = async (id: string, caller = app) => {
    const { body } = await caller.request('GET', `/${id}/result`);
    return (body as { errors: { errorCode: string; message: string; response: unknown }[] }).errors[0];
  };
  const delaysOf = async (id: string, caller = app) => {
    const { text } = await caller.request('GET', `/${id}/log`);
    return text.split('\n').filter((line) => line.includes('is tried again'));
  };
  /** Sets the attempts of the job of a task. Returns when the task has failed. */
  const passes = async (id: string, attempts: number, caller = app): Promise<void> => {
    const { database } = platform.kethub.platform;
    for (;;) {
      const { body } = await caller.request('GET', `/${id}`);
      if ((body as { status: string }).status === 'FAILED') return;
      await database.write((transaction) =>
        transaction
          .updateTable('workflow_jobs')
          .set({ attempts, due: 1 })
          .where('attempts', '>', 0)
          .where('locked_until', '=', 0)
          .execute(),
      );
      await pause(50);
    }
  };

  test.for<[string, Partial<Record<Operation, Reply[]>>, string]>([
    [
      'a result that is a page',
      { 'GET /{id}/result': ['<html>sign in</html>'] },
      'GET /{id}/result with 200 and a body that is not JSON',
    ],
    ['an empty result', { 'GET /{id}/result': [''] }, 'GET /{id}/result with 200 and an empty body'],
    ['no result', { 'GET /{id}/result': [[404, '<html>']] }, 'GET /{id}/result with 404 and a body that is not JSON'],
    [
      'a cause that is a page',
      { 'GET /{id}': [failed], 'GET /{id}/result': ['<html>'] },
      'GET /{id}/result with 200 and a body that is not JSON',
    ],
    ['a page in answer to the start', { 'POST /': ['<html>'] }, 'POST / with 200 and a body that is not JSON'],
    ['a start without an id', { 'POST /': ['{"status":"PENDING"}'] }, 'POST / without an id'],
    ['an id that is a way elsewhere', { 'POST /': ['{"id":".."}'] }, 'POST / without an id'],
    ['a page as its status', { 'GET /{id}': ['<html>'] }, 'GET /{id} with 200 and a body that is not JSON'],
    ['a status without one', { 'GET /{id}': ['{"id":"abc"}'] }, 'GET /{id} without a status'],
  ])('%s fails the task at once', async ([, wrong, detail]) => {
    Object.assign(replies, wrong);
    const { id, status } = await app.finish({});
    expect(status).toBe('FAILED');
    expect(await errorOf(id)).toMatchObject({
      errorCode: 'HUB_SERVICE_FAILED',
      message: expect.stringContaining(detail),
      response: { title: isAnInterface, detail: expect.stringContaining(detail) },
    });
    expect(asked.filter((one) => Object.keys(wrong).includes(one))).toHaveLength(Object.keys(wrong).length);
    expect(await delaysOf(id)).toEqual([]);
  });

  test('a page in place of a result, where the service has ended when it answers the start, fails the task', async () => {
    replies['POST /'] = [succeeded];
    replies['GET /{id}/result'] = ['<html>'];
    const { id, status } = await app.finish({});
    expect([status, await errorOf(id)]).toMatchObject(['FAILED', { response: { title: isAnInterface } }]);
    expect(asked).toEqual(['POST /', 'GET /{id}/result']);
  });

  test('a byte order mark is no part of the answer', async () => {
    replies = {
      'POST /': [BOM + started],
      'GET /{id}': [BOM + succeeded],
      'GET /{id}/result': [`${BOM}{"tripled":9}`],
    };
    const { id, status } = await app.finish({});
    const { body } = await app.request('GET', `/${id}/result`);
    expect([status, body]).toMatchObject(['SUCCEEDED', { tripled: 9, title: null }]);
  });

  test('a result that is too large is fetched once, and the task says so', async () => {
    replies['GET /{id}/result'] = [JSON.stringify({ tripled: 'x'.repeat(13_000_000) })];
    const { id, status } = await app.finish({});
    expect(status).toBe('FAILED');
    const detail = expect.stringContaining(`more than the ${limits.workflowResultBytes} bytes`) as unknown;
    expect(await errorOf(id)).toMatchObject({ message: detail, response: { title: 'Result too large', detail } });
    expect(asked.filter((one) => one.endsWith('result'))).toHaveLength(1);
  });

  test.for<[Operation, number]>([
    ['POST /', 422],
    ['POST /', 501],
    ['GET /{id}', 404],
    ['GET /{id}/result', 410],
  ])('%s answered with %d is final, and is the response as it was received', async ([operation, status]) => {
    replies[operation] = [[status, '{"detail":"Not so.","own":1}']];
    const ended = await app.finish({});
    expect(ended.status).toBe('FAILED');
    expect(await errorOf(ended.id)).toMatchObject({ message: 'Not so.', response: { detail: 'Not so.', own: 1 } });
    expect(asked.filter((one) => one === operation)).toHaveLength(1);
  });

  test('the cause of a service that has failed is taken whatever the status that comes with it', async () => {
    replies['GET /{id}'] = [failed];
    replies['GET /{id}/result'] = [[500, '{"detail":"Divided by zero."}']];
    const { id } = await app.finish({});
    expect(await errorOf(id)).toMatchObject({ response: { detail: 'Divided by zero.' } });
    expect(asked.filter((one) => one.endsWith('result'))).toHaveLength(1);
  });

  test.for<[Operation, string, Reply]>([
    ['POST /', 'is busy', [503, 'secret-of-the-provider']],
    ['POST /', 'counts requests', [429, '{"detail":"secret-of-the-provider"}']],
    ['GET /{id}', 'breaks the connection', CLOSE],
    ['GET /{id}', 'is busy', [502, '{"detail":"secret-of-the-provider"}']],
    ['GET /{id}', 'is silent', SILENCE],
    ['GET /{id}/result', 'is busy', [503, '{"detail":"secret-of-the-provider"}']],
  ])('%s: a service that %s is called again, which the log says once', async ([operation, , reply]) => {
    replies[operation] = [reply, reply, ...replies[operation]];
    const { id, status } = await app.finish({});
    expect(status).toBe('SUCCEEDED');
    const delays = await delaysOf(id);
    expect(delays).toEqual([
      expect.stringContaining("there waits for its service, which is tried again: The provider's service"),
    ]);
    expect(delays.join()).not.toContain('secret-of-the-provider');
    expect(new Set(keys).size).toBe(1);
  });

  test('what a service answers until nobody calls it again is the response', async () => {
    replies['POST /'] = [[503, '{"detail":"Closed."}']];
    const { id } = await app.start({});
    await passes(id, 9);
    expect(await errorOf(id)).toMatchObject({ message: 'Closed.', response: { detail: 'Closed.' } });
    expect(new Set(keys).size).toBe(1);
  });

  test('a service that is at work is asked for longer than one that never began', async () => {
    replies['GET /{id}'] = [
      [503, '<html>'],
      [503, '<html>'],
    ];
    const { id } = await app.start({});
    while (asked.filter((one) => one === 'GET /{id}').length < 2) await pause(10);
    await passes(id, 125);
    expect(await errorOf(id)).toMatchObject({
      response: {
        title: "The provider's service is not available",
        detail: "The provider's service answered GET /{id} with 503 and a body that is not JSON.",
      },
    });
  });

  test.for<[string, Reply, object]>([
    [
      'is not answered in time',
      SILENCE,
      {
        type: expect.stringContaining('upstream-timeout') as string,
        detail: expect.stringContaining('1 seconds') as string,
      },
    ],
    ['breaks off', CLOSE, { type: expect.stringContaining('upstream-failed') as string }],
    ['fails inside', [500, '{"detail":"Out of memory."}'], { detail: 'Out of memory.' }],
    ['fails on the way', [504, '<html>'], { detail: expect.stringContaining('504') as string }],
  ])('a start that %s may have begun: it is not made again', async ([, reply, response]) => {
    replies['POST /'] = [reply];
    const { id, status } = await app.finish({});
    expect([status, asked]).toEqual(['FAILED', ['POST /']]);
    expect(await errorOf(id)).toMatchObject({ response });
  });

  test('where nothing listens the task names the cause, without the address', async () => {
    const gone = await startProvider(answer);
    await gone.close();
    // No test listens at this address, whoever has got the port meanwhile.
    const url = gone.url.replace('127.0.0.1', '127.0.0.2');
    const caller = await workflowOf('Nowhere', `${url}/`);
    const { id } = await caller.start({});
    await passes(id, 9, caller);
    const error = await errorOf(id, caller);
    expect(error).toMatchObject({
      message: expect.stringContaining("The provider's service cannot be reached."),
      response: { type: expect.stringContaining('upstream-unreachable'), status: 502 },
    });
    expect(await delaysOf(id, caller)).toHaveLength(1);
    expect(JSON.stringify([error, await delaysOf(id, caller)])).not.toMatch(/127\.0\.0|ECONN/);
  });

  test('a service that comes back is called, and the workflow goes on', async () => {
    const server = http.createServer(answer);
    server.listen(0, '127.0.0.3');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const away = once(server, 'close');
    server.close();
    await away;
    const caller = await workflowOf('Comes back', `http://127.0.0.3:${port}/`);
    const { id } = await caller.start({});
    while ((await delaysOf(id, caller)).length === 0) await pause(10);
    server.listen(port, '127.0.0.3');
    await once(server, 'listening');
    for (let status = ''; status !== 'SUCCEEDED'; await pause(10)) {
      ({ status } = (await caller.request('GET', `/${id}`)).body as { status: string });
      expect(status).not.toBe('FAILED');
    }
    expect(keys).toHaveLength(1);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  test('an installation that does not connect there any more says so at once', async () => {
    const caller = await workflowOf('Refused', 'http://127.0.0.4:8080/');
    const { database } = platform.kethub.platform;
    await database.write((transaction) =>
      transaction
        .updateTable('on_premise_targets')
        .set({ url: 'http://10.0.0.1:8080/' })
        .where('url', '=', 'http://127.0.0.4:8080/')
        .execute(),
    );
    const { id, status } = await caller.finish({});
    expect(status).toBe('FAILED');
    expect(await errorOf(id, caller)).toMatchObject({
      message: expect.stringContaining('where this installation does not connect to'),
    });
  });

  test('what runs at a provider to whose service nobody is subscribed any more fails the task at once, with that cause', async () => {
    const workflow = await deployed('Left', `${provider.url}/`);
    const caller = await callerOf(workflow);
    replies['GET /{id}'] = [started];
    const { id } = await caller.start({});
    while (!asked.includes('GET /{id}')) await pause(10);
    await platform.client.deleteApplication({ applicationId: workflow.caller.id });
    for (let status = ''; status !== 'FAILED'; await pause(10))
      ({ status } = (await caller.request('GET', `/${id}`)).body as { status: string });
    expect(await errorOf(id, caller)).toMatchObject({
      message: expect.stringContaining('is not subscribed'),
      response: { type: expect.stringContaining('not-subscribed') },
    });
  });
});
