import { setTimeout as pause } from 'node:timers/promises';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { LogEntry } from '@kethub/contract';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KethubProcess, type Settings } from '@kethub/server/testing/child-process';
import { postgreSql } from '@kethub/server/testing/databases';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { deploy, type DeployedService } from '@kethub/server/testing/kethub';
import { freePort } from '@kethub/server/testing/platform';
import { startS3, type TestS3 } from '@kethub/server/testing/s3';
import { startSecondWorker } from '@kethub/server/testing/second-worker';
import { startSplitKethub, type SplitKethub } from '@kethub/server/testing/split-kethub';
import { bpmn, calls, deployWorkflow } from '@kethub/server/testing/workflows';

/** Time for events that happen soon, on any machine. */
const patient = { timeout: 30_000 };

/** Host of workers that are rows only. */
const CROWD = 'crowd';

/** Prints so many lines, waiting after each. */
const service = {
  'src/__init__.py': '',
  'src/program.py': `
import time


def run(lines=0, seconds=0):
    for line in range(lines):
        print("line", line, flush=True)
        time.sleep(seconds / lines)
    return lines
`,
};

const counting = {
  'src/__init__.py': '',
  'src/program.py': `
def run(number):
    return {"number": number + 1}
`,
};

describe.each(postgreSql)('several processes on $name and an S3', (kind) => {
  let s3: TestS3;
  let kethub: SplitKethub;
  let deployed: DeployedService;
  let app: Caller;
  let hearing: (() => Promise<void>) | null = null;

  beforeAll(async () => {
    s3 = await startS3();
    kethub = await startSplitKethub(kind, s3.settings);
    deployed = await deploy(kethub.client, 'Printer', service);
    app = await callerOf(deployed, kethub);
  });
  afterAll(async () => {
    await kethub.close();
    await s3.close();
  });

  /**
   * Ends every LISTEN connection again and again, so that no notification arrives. Returns a function that stops this.
   */
  const deafen = async (): Promise<() => Promise<void>> => {
    const client = new Client({ connectionString: kethub.settings['DATABASE_URL'], application_name: 'test' });
    await client.connect();
    const stopped = new AbortController();
    const end = async (): Promise<void> => {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'kethub listener'`,
      );
    };
    await end();
    const ending = (async () => {
      for (; !stopped.signal.aborted; await pause(20)) await end();
    })();
    return async () => {
      stopped.abort();
      await ending;
      await client.end();
    };
  };
  /** Has the worker be the youngest of many, so that it does not listen. Returns a function that ends this. */
  const crowd = async (): Promise<() => Promise<void>> => {
    const { database } = kethub.platform;
    const row = { host: CROWD, beats: 1, seen_at: 1, pythons: null, lost_at: null, cpus: null, memory_bytes: null, gpus: null }; // prettier-ignore
    const rows = Array.from({ length: 120 }, (_value, number) => ({ ...row, id: `0 ${number}` }));
    await database.write((write) => write.insertInto('workers').values(rows).execute());
    // The others, and that of the test.
    await vi.waitFor(async () => expect(await listeners()).toBe(4), patient);
    return async () => {
      expect(await listeners()).toBe(4);
      await database.write((write) => write.deleteFrom('workers').where('host', '=', CROWD).execute());
    };
  };
  const listeners = async (): Promise<number> => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'kethub listener'`.execute(
      kethub.platform.database.read,
    );
    return rows.length;
  };
  const follow = async (id: string, from = 0): Promise<{ text: string; ids: string[]; messages: string[] }> => {
    const response = await fetch(kethub.at(`${deployed.endpoint}/${id}/log`), {
      headers: { authorization: `Bearer ${app.bearer}`, accept: 'text/event-stream', 'last-event-id': String(from) },
    });
    const text = await response.text();
    const messages = [...text.matchAll(/^data: (\{"timestamp.*)$/gm)].map(
      ([, json = '']) => (JSON.parse(json) as LogEntry).message,
    );
    return { text, messages, ids: [...text.matchAll(/^id: (\d+)$/gm)].map(([, id = '']) => id) };
  };
  const lines = (count: number): string[] => Array.from({ length: count }, (_, line) => `line ${line}`);
  const statusOf = async (id: string): Promise<string> => member((await app.request('GET', `/${id}`)).body, 'status');
  const originOf = (part: 'api' | 'gateway'): string => new URL(kethub.platform.addresses[part]).origin;

  const secondWorker = async (settings: Settings) => {
    const second = await startSecondWorker(kethub, settings);
    onTestFinished(() => second.close());
    return second.process;
  };
  /** The process that the address does not name. */
  const secondGateway = (address: string): string => {
    const one = kethub.at(address);
    return one === address ? kethub.at(address) : one;
  };

  test('every process says that it lives and is ready, without authentication', async () => {
    for (const origin of [originOf('api'), originOf('gateway'), new URL(kethub.at(originOf('gateway'))).origin]) {
      expect(await (await fetch(`${origin}/health`)).json()).toEqual({ status: 'LIVE' });
      const ready = await fetch(`${origin}/ready`);
      expect([ready.status, await ready.json()]).toEqual([200, { status: 'READY' }]);
    }
  });

  describe.each([
    ['with notifications', null],
    ['without any notification', deafen],
    ['with a worker that does not listen', crowd],
  ])('%s', (how, prepare) => {
    beforeAll(async () => {
      if (prepare) hearing = await prepare();
    });
    afterAll(async () => {
      await hearing?.();
      hearing = null;
    });

    test.concurrent('a log that another machine writes is read and followed, whole and in order', async ({
      expect,
    }) => {
      const { id } = await app.start({ lines: 40, seconds: 8 });
      await expect.poll(() => statusOf(id), patient).toBe('RUNNING');
      const [all, early] = await Promise.all([
        follow(id),
        (async () => {
          await expect
            .poll(async () => (await app.request('GET', `/${id}/log`)).body as LogEntry[], patient)
            .not.toEqual([]);
          const { body } = await app.request('GET', `/${id}/log`);
          return { body: body as LogEntry[], status: await statusOf(id) };
        })(),
      ]);
      expect(early.status).toBe('RUNNING');
      expect(early.body.map(({ message }) => message)).toEqual(lines(early.body.length));
      expect(all.messages).toEqual(lines(40));
      expect(all.text).toContain('event: end');
      const middle = Number(all.ids[19]);
      expect((await follow(id, middle)).messages).toEqual(lines(40).slice(20));
    });

    test.concurrent('a reader that comes back while the code runs goes on where it was', async ({ expect }) => {
      const { id } = await app.start({ lines: 30, seconds: 8 });
      await expect.poll(async () => (await app.request('GET', `/${id}/log`)).text, patient).toContain('line 3"');
      const { body } = await app.request('GET', `/${id}/log`);
      const seen = (body as LogEntry[]).map((entry) => `${JSON.stringify(entry)}\n`);
      expect(await statusOf(id)).toBe('RUNNING');
      const remaining = await follow(id, seen.join('').length);
      expect([...lines(seen.length), ...remaining.messages]).toEqual(lines(30));
    });

    test('a waiting request, a cancellation and a build arrive', async () => {
      expect(await app.finish({ lines: 1 })).toMatchObject({ status: 'SUCCEEDED' });
      const { id } = await app.start({ lines: 1, seconds: 600 });
      await expect.poll(() => statusOf(id), patient).toBe('RUNNING');
      expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
      await expect.poll(() => kethub.keptByRunner(), patient).toBe(0);
      await deploy(kethub.client, `Another ${how}`, service);
    });

    test('what is revoked ends at both gateways', async () => {
      const mine = await deploy(kethub.client, `Leaving ${how}`, service);
      const both = [await callerOf(mine), await callerOf(mine, { at: secondGateway })];
      const statuses = async () => Promise.all(both.map(async (one) => (await one.request('GET', '/')).status));
      expect(await statuses()).toEqual([200, 200]);
      await kethub.client.unsubscribe({ applicationId: mine.application.id, subscriptionId: mine.subscription.id });
      await expect.poll(statuses, patient).toEqual([403, 403]);
      await kethub.client.subscribe({ applicationId: mine.application.id, json: { serviceId: mine.service.id } });
      await expect.poll(statuses, patient).toEqual([200, 200]);
      const { id: user_id } = mine.application.owner;
      const { database } = kethub.platform;
      await database.write((write) => write.insertInto('blocked_users').values({ user_id, blocked_at: 0 }).execute());
      await expect.poll(statuses, patient).toEqual([401, 401]);
      await database.write((write) => write.deleteFrom('blocked_users').where('user_id', '=', user_id).execute());
      await expect.poll(statuses, patient).toEqual([200, 200]);
      const announced = async () =>
        Promise.all(both.map(async (one) => (await one.request('GET', '/')).headers.has('deprecation')));
      expect(await announced()).toEqual([false, false]);
      await kethub.client.retireServiceVersion({
        serviceId: mine.service.id,
        version: '1.0.0',
        json: { sunset: new Date(Date.now() + 3_600_000).toISOString() },
      });
      await expect.poll(announced, patient).toEqual([true, true]);
      await kethub.client.retireServiceVersion({ serviceId: mine.service.id, version: '1.0.0', json: {} });
      const starts = async () =>
        Promise.all(both.map(async (one) => (await one.request('POST', '/', { body: '{"lines": 1}' })).status));
      await expect.poll(starts, patient).toEqual([410, 410]);
      await kethub.client.rotateAccessKey({ applicationId: mine.application.id, json: { overlapSeconds: 0 } });
      await expect.poll(statuses, patient).toEqual([401, 401]);
    });
  });

  test('each process listens again, once', async () => {
    hearing = await deafen();
    await pause(1_500);
    await hearing();
    hearing = null;
    // The four processes, and that of the test.
    await expect.poll(listeners, patient).toBe(5);
    expect(await app.finish({ lines: 1 })).toMatchObject({ status: 'SUCCEEDED' });
  });

  describe('a process that does not match the others refuses to start', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-refused-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    test('the data folder of another installation', async () => {
      const own = path.join(folder, 'own');
      await mkdir(own);
      await writeFile(path.join(own, 'installation.id'), 'another\n');
      const port = await freePort();
      const settings = { KETHUB_ROLES: 'gateway', KETHUB_GATEWAY_PORT: String(port), KETHUB_DATA_DIR: own };
      const start = () => new KethubProcess({ ...kethub.settings, ...settings }, port);
      expect(await start().refusal()).toMatch(/belongs to another Kethub.*KETHUB_DATA_DIR.*installation\.id/);
      // The file is gone, as the message says.
      await rm(path.join(own, 'installation.id'));
      const process = start();
      await process.ready();
      await process.end();
      expect(await readFile(path.join(own, 'installation.id'), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
    });

    test.each([
      ['another key', () => ({ KETHUB_INSTANCE_KEY: '33'.repeat(32) }), /another instance key.*KETHUB_INSTANCE_KEY/],
      [
        'another store of files',
        () => ({ KETHUB_BLOBS: `${s3.settings['KETHUB_BLOBS']}/elsewhere` }),
        /store of files.*KETHUB_BLOBS/,
      ],
      ['no database of all', () => ({ DATABASE_URL: '' }), /PostgreSQL that all processes share: DATABASE_URL/],
    ])('%s', async (_what, wrong, reason) => {
      const port = await freePort();
      const settings = { KETHUB_ROLES: 'gateway', KETHUB_GATEWAY_PORT: String(port), KETHUB_DATA_DIR: folder };
      const process = new KethubProcess({ ...kethub.settings, ...settings, ...wrong() }, port);
      expect(await process.refusal()).toMatch(reason);
    });
  });

  test('a gateway that is told to stop answers waits at once, ends streams where they are resumed, and loses no request', async () => {
    const { id } = await app.start({ lines: 600, seconds: 600 });
    await expect.poll(() => statusOf(id), patient).toBe('RUNNING');
    const second = kethub.gateways[1];
    const own = await callerOf(deployed, { at: (address) => address.replace(originOf('gateway'), second.origin) });
    await expect.poll(async () => (await own.request('GET', `/${id}/log`)).text, patient).toContain('line 0');
    const wait = own.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    const headers = { authorization: `Bearer ${own.bearer}`, accept: 'text/event-stream' };
    const endpoint = deployed.endpoint.replace(originOf('gateway'), second.origin);
    const stream = await fetch(`${endpoint}/${id}/log`, { headers });
    // Earlier requests have arrived when later ones are answered.
    const started = await Promise.all(Array.from({ length: 20 }, () => own.start({ lines: 1 })));
    await second.end();
    const [followed, waited] = await Promise.all([stream.text(), wait]);
    expect([waited.status, member(waited.body, 'status')]).toEqual([200, 'RUNNING']);
    expect(followed).toContain('line 0');
    expect(followed).not.toContain('event: end');
    await second.restart();
    for (const one of started) await expect.poll(() => statusOf(one.id), patient).toBe('SUCCEEDED');
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    await expect.poll(() => kethub.keptByRunner(), patient).toBe(0);
  }, 180_000);

  test('a worker that restarts goes on with what it ran', async () => {
    const { id } = await app.start({ lines: 20, seconds: 2 });
    await expect.poll(() => statusOf(id), patient).toBe('RUNNING');
    await kethub.worker.restart();
    await expect.poll(() => statusOf(id), patient).toBe('SUCCEEDED');
    expect((await follow(id)).messages).toEqual(lines(20));
  }, 180_000);

  test('a workflow goes on wherever its tasks run, also on a worker that is killed and comes back', async () => {
    const second = await secondWorker({});
    const counter = await deploy(kethub.client, 'Counter', counting);
    const tasks = ['one', 'two', 'three', 'four'];
    const count = { in: { number: '=number' }, out: { number: '=number' }, extensions: calls(counter.service.id) };
    const xml = bpmn.file([
      bpmn.start('start'),
      ...tasks.map((id) => bpmn.service(id, count)),
      bpmn.end('end', { number: '=number' }),
      bpmn.chain('start', ...tasks, 'end'),
    ]);
    const workflow = await callerOf(await deployWorkflow(kethub.client, 'Counts', xml, [counter.service]), kethub);
    const started = await Promise.all(Array.from({ length: 24 }, (_, number) => workflow.start({ number })));
    await second.end('SIGKILL');
    await second.restart();
    const results = started.map(({ id }, number) =>
      expect
        .poll(async () => (await workflow.request('GET', `/${id}/result`)).body, { timeout: 60_000 })
        .toMatchObject({ number: number + tasks.length, _embedded: { status: { status: 'SUCCEEDED' } } }),
    );
    await Promise.all(results);
    const ranOn = async (): Promise<number> => {
      const { read } = kethub.platform.database;
      const rows = await read.selectFrom('executions').select('worker_id').distinct().execute();
      return rows.filter(({ worker_id }) => worker_id !== null).length;
    };
    // On a busy machine the first worker may have done everything before the second is back.
    while ((await ranOn()) < 2) await Promise.all([1, 2, 3, 4].map((number) => workflow.finish({ number })));
  }, 180_000);

  test('what ran on a worker that does not come back is UNKNOWN, with the log that was read of it; what waited runs on another', async () => {
    const { id } = await app.start({ lines: 600, seconds: 600 });
    const cancelled = await app.start({ lines: 600, seconds: 600 });
    for (const one of [id, cancelled.id]) await expect.poll(() => statusOf(one), patient).toBe('RUNNING');
    const following = follow(id);
    await expect.poll(async () => (await app.request('GET', `/${id}/log`)).text, patient).toContain('line 0');
    await kethub.worker.end('SIGKILL');
    await app.request('PUT', `/${cancelled.id}/cancel`);
    const waiting = await app.start({ lines: 1 });
    // Another worker, on a machine of its own, which soon counts the first one as lost.
    const second = await secondWorker({ KETHUB_WORKER_LEASE_SECONDS: '2' });
    await expect.poll(() => statusOf(id), patient).toBe('UNKNOWN');
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ title: 'Worker lost' });
    const { messages, text } = await following;
    expect(text).toContain('event: end');
    expect(messages).toEqual(lines(messages.length));
    expect(messages).toContain('line 0');
    expect((await follow(cancelled.id)).text).toContain('event: end');
    await expect.poll(() => statusOf(waiting.id), patient).toBe('SUCCEEDED');
    await second.end();
    // The first worker comes back. Its executions have ended for everybody else.
    await kethub.worker.restart();
    await expect.poll(() => kethub.keptByRunner(), patient).toBe(0);
    expect(await app.finish({ lines: 1 })).toMatchObject({ status: 'SUCCEEDED' });
    expect(await statusOf(id)).toBe('UNKNOWN');
  }, 180_000);
});
