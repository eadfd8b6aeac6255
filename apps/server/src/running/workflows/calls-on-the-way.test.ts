import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AccessDirectory } from '../../catalog/access/index.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { deployOnPremise, localTargets, startProvider, type Provider } from '../../testing/on-premise.ts';
import { startSecondEngine } from '../../testing/second-engine.ts';
import { bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';
import { createWorkflows, giveUpCalls, WorkflowEngine } from './index.ts';
import { workflowsToDo } from './wake.ts';

const { chain, end, service, file } = bpmn;
const TASKS = 20;

/** A service that remembers starts by Idempotency-Key, and answers them on command. */
class Remembering {
  /** Number of requests by key. */
  readonly keys = new Map<string, number>();
  readonly cancelled = new Set<string>();
  #waiting: (() => void)[] = [];
  /** True if starts wait for {@link release}. */
  isPaused = true;

  readonly answer: http.RequestListener = (request, response) => {
    const { method, url = '' } = request;
    const send = (body: object): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    request.resume().once('end', () => {
      const id = url.split('/')[1] ?? '';
      if (method === 'PUT') {
        this.cancelled.add(id);
        return send({ id, status: 'CANCELLED' });
      }
      if (method === 'GET') return send(url.endsWith('/result') ? { answer: 1 } : { id, status: 'SUCCEEDED' });
      const key = String(request.headers['idempotency-key']);
      this.keys.set(key, (this.keys.get(key) ?? 0) + 1);
      const started = (): void => send({ id: `run-${key}`, status: 'PENDING' });
      if (this.isPaused) this.#waiting.push(started);
      else started();
    });
  };

  release(): void {
    this.isPaused = false;
    for (const started of this.#waiting) started();
    this.#waiting = [];
  }

  forget(): void {
    this.#waiting = [];
  }
}

async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1_500; look += 1) {
    if (await is()) return;
    await pause(20);
  }
  throw new Error(`Not within 30 s: ${what}`);
}

describe.each(databases())('starts that are on their way to a service elsewhere, on $name', (kind) => {
  let kethub: TestKethub;
  let provider: Provider;
  let remembering: Remembering;
  let many: Caller;
  let single: Caller;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, localTargets);
    provider = await startProvider((request, response) => remembering.answer(request, response));
    const target = { url: `${provider.url}/`, timeoutSeconds: 100 };
    const { service: elsewhere } = await deployOnPremise(kethub.client, 'Slow', target);
    const task = (loop?: { over: string; as: string; into: string; collect: string }) =>
      service('there', { ...(loop && { loop }), out: { answer: '=answer' }, extensions: calls(elsewhere.id) });
    const of = async (name: string, loop?: Parameters<typeof task>[0]) => {
      const xml = file([start(), task(loop), end('end', { done: '=true' }), chain('start', 'there', 'end')]);
      return callerOf(await deployWorkflow(kethub.client, name, xml, [elsewhere]));
    };
    many = await of('Many', {
      over: `=for i in 1..${TASKS} return i`,
      as: 'each',
      into: 'answers',
      collect: '=answer',
    });
    single = await of('Single');
  });
  afterAll(async () => {
    await provider.close();
    await kethub.close();
  });
  afterEach(() => remembering.release());

  const jobs = () => kethub.kethub.platform.database.read.selectFrom('workflow_jobs').selectAll().execute();
  const begin = async (app: Caller, starts: number): Promise<string> => {
    remembering = new Remembering();
    const { id } = await app.start({});
    await until('all starts are on their way', () => remembering.keys.size === starts);
    return id;
  };
  const statusOf = async (app: Caller, id: string): Promise<string> =>
    ((await app.request('GET', `/${id}`)).body as { status: string }).status;
  const ends = (app: Caller, id: string, status: string) =>
    until(`the execution is ${status}`, async () => (await statusOf(app, id)) === status);
  const cancel = async (app: Caller, id: string): Promise<void> => {
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    await until('all tasks are cancelled', async () => (await jobs()).every(({ state }) => state === 'WITHDRAWN'));
  };

  test('keep their execution from being deleted until they are cancelled at the provider', async () => {
    const id = await begin(single, 1);
    await cancel(single, id);
    await ends(single, id, 'CANCELLED');
    const remove = () =>
      kethub.client.deleteOwnedExecution({ executionId: id }).then(
        () => 204,
        ({ status }: { status: number }) => status,
      );
    await until('the workflow has ended', async () => {
      const { read } = kethub.kethub.platform.database;
      const row = await read.selectFrom('workflow_instances').select('phase').where('id', '=', id).executeTakeFirst();
      return row?.phase === 'CANCELLED';
    });
    expect(await remove()).toBe(409);
    remembering.release();
    await until('it is deleted', async () => (await remove()) === 204);
    expect(remembering.cancelled.size).toBe(1);
  });

  test('are sent once, also when every lease is over, and another worker looks for jobs', async () => {
    const second = await startSecondEngine(kethub);
    const { database } = kethub.kethub.platform;
    const id = await begin(many, TASKS);
    // Makes the table look as after a standstill longer than a lease.
    for (let round = 0; round < 5; round += 1) {
      await database.write((transaction) =>
        transaction.updateTable('workflow_jobs').set({ locked_until: 1, due: 0 }).execute(),
      );
      workflowsToDo(database);
      await pause(100);
    }
    remembering.release();
    await ends(many, id, 'SUCCEEDED');
    expect([...remembering.keys.values()]).toEqual(Array.from({ length: TASKS }, () => 1));
    await second?.close();
  });

  test('are cancelled at the provider as soon as they are answered', async () => {
    const id = await begin(many, TASKS);
    await cancel(many, id);
    expect(remembering.cancelled.size).toBe(0);
    remembering.release();
    await until('all are cancelled', () => remembering.cancelled.size === TASKS);
    await until('nothing is left to do', async () => (await jobs()).length === 0);
    expect([...remembering.cancelled].toSorted()).toEqual(
      [...remembering.keys.keys()].map((key) => `run-${key}`).toSorted(),
    );
  });

  /** The next process of the same worker. It takes the calls of the first one for those of a dead process. */
  const next = (): WorkflowEngine => {
    const { platform } = kethub.kethub;
    const directory = new AccessDirectory(platform);
    onTestFinished(() => directory.close());
    const engine = new WorkflowEngine(platform, createWorkflows(platform), directory);
    engine.start();
    return engine;
  };

  test('are sent again under the same key by the next process of the worker', async () => {
    const id = await begin(single, 1);
    remembering.isPaused = false;
    const engine = next();
    await ends(single, id, 'SUCCEEDED');
    expect([...remembering.keys.values()]).toEqual([2]);
    remembering.forget();
    await engine.stop();
  });

  test('and were cancelled before their process died are cancelled by the next one', async () => {
    const id = await begin(single, 1);
    await cancel(single, id);
    remembering.isPaused = false;
    const engine = next();
    await until('it is cancelled', () => remembering.cancelled.size === 1);
    await until('nothing is left to do', async () => (await jobs()).length === 0);
    expect([...remembering.cancelled]).toEqual([...remembering.keys.keys()].map((key) => `run-${key}`));
    remembering.forget();
    await engine.stop();
  });

  test('of a worker that is lost have an unknown outcome; should it wake, what it has started is cancelled', async () => {
    const { platform } = kethub.kethub;
    const id = await begin(single, 1);
    await giveUpCalls(platform, platform.workerId ?? '');
    await ends(single, id, 'FAILED');
    const { body } = await single.request('GET', `/${id}/result`);
    expect(body).toMatchObject({ errors: [{ response: { title: 'Outcome unknown' } }] });
    remembering.release();
    await until('it is cancelled', () => remembering.cancelled.size === 1);
    expect([...remembering.keys.values()]).toEqual([1]);
  });

  test('and can be neither confirmed nor cancelled are named in the log', async () => {
    const { platform } = kethub.kethub;
    const id = await begin(single, 1);
    await cancel(single, id);
    await giveUpCalls(platform, platform.workerId ?? '');
    const log = async () => (await single.request('GET', `/${id}/log`)).text;
    await until('the log has the line', async () =>
      (await log()).includes('there was cancelled, but what it has called may run on'),
    );
    expect(await jobs()).toEqual([]);
  });
});
