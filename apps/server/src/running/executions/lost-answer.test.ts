import { setTimeout as pause } from 'node:timers/promises';
import { RuntimeUnavailable } from '@kethub/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, ExecutionRow } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

/**
 * Loses the answer to the next claim, as when the connection breaks after the commit. Resolves with the id of the
 * execution that the worker does not know of; `meanwhile` happens before the worker notices.
 */
function loseClaim(database: Database, meanwhile: (id: string) => Promise<unknown>): Promise<string> {
  const write = database.write.bind(database);
  const lost = Promise.withResolvers<string>();
  Object.assign(database, {
    async write(work: Parameters<typeof write>[0]) {
      const done = await write(work);
      const [row] = Array.isArray(done) ? (done as Partial<ExecutionRow>[]) : [];
      if (row?.id === undefined || row.status !== 'RUNNING') return done;
      Object.assign(database, { write });
      await meanwhile(row.id);
      lost.resolve(row.id);
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    },
  });
  return lost.promise;
}

/**
 * Reports the next execution as not started, as a stand-in of its runtime. `forgets` is called when the runtime forgets it
 * for the first time, before the platform gives it back. Returns a function that counts how often it was forgotten.
 */
function refuseFirst({ kethub: { runtime } }: TestKethub, forgets: (id: string) => unknown): () => number {
  const [start, list, forget] = [runtime.start.bind(runtime), runtime.list.bind(runtime), runtime.forget.bind(runtime)];
  const rest = { cause: null, startedAt: 0, endedAt: 0, result: null, files: [], peakMemoryBytes: null, cpuMs: null, logBytes: 0 }; // prettier-ignore
  let refused: string | null = null;
  let forgotten = 0;
  Object.assign(runtime, {
    start(job: Parameters<typeof start>[0]) {
      if (refused !== null) return start(job);
      refused = job.executionId;
      return Promise.resolve('STARTED');
    },
    async list() {
      const known = await list();
      if (refused === null || forgotten > 0) return known;
      const end = { executionId: refused, outcome: 'NOT_STARTED', ...rest };
      return [...known, { executionId: refused, state: 'ENDED', end }];
    },
    async forget(id: string) {
      await forget(id);
      if (id !== refused) return;
      if (forgotten === 0) forgets(id);
      forgotten += 1;
    },
  });
  return () => forgotten;
}

describe.each(databases())('an execution whose claim or start is not answered, on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  test('is not started again when it has run and its end is collected and forgotten', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Witness', probe));
    const { runtime } = kethub.kethub;
    const start = runtime.start.bind(runtime);
    const answers: string[] = [];
    Object.assign(runtime, {
      async start(job: Parameters<typeof start>[0]) {
        answers.push(await start(job));
        // As when the connection breaks in this moment; by then the runner knows nothing of it any more.
        while ((await runtime.list()).some(({ executionId }) => executionId === job.executionId)) await pause(10);
        throw new RuntimeUnavailable('The connection to the runner was lost before it had answered.');
      },
    });
    const { status } = await app.finish({ params: { return: 42 } });
    expect(status).toBe('SUCCEEDED');
    // Longer than the worker waits before it tries again.
    await pause(1_200);
    expect(answers).toEqual(['STARTED']);
  });

  test('is run once when the database gave it to the worker, and the worker did not learn of it', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Claimed', probe));
    const { runtime, platform } = kethub.kethub;
    const start = runtime.start.bind(runtime);
    const started: string[] = [];
    Object.assign(runtime, {
      start(job: Parameters<typeof start>[0]) {
        started.push(job.executionId);
        return start(job);
      },
    });
    const lost = loseClaim(platform.database, () => Promise.resolve());
    const { status } = await app.finish({ params: { return: 42 } });
    expect({ status, started }).toEqual({ status: 'SUCCEEDED', started: [await lost] });
    Object.assign(runtime, { start });
  });

  test('is over for who follows it when it was cancelled before the worker learned of it', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Cancelled and claimed', probe));
    const { platform } = kethub.kethub;
    const lost = loseClaim(platform.database, (id) => app.request('PUT', `/${id}/cancel`));
    await app.start({ params: { return: 42 } });
    const log = await app.request('GET', `/${await lost}/log`, { headers: { accept: 'text/event-stream' } });
    expect(log.text).toContain('event: end');
    const row = platform.database.read
      .selectFrom('executions')
      .selectAll()
      .where('id', '=', await lost);
    expect(await row.executeTakeFirstOrThrow()).toMatchObject({ status: 'CANCELLED', log: '' });
  });

  test('is over for who follows it when it was cancelled and the platform ended before it was handed over', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Cancelled', probe));
    Object.assign(kethub.kethub.runtime, { start: () => new Promise(() => undefined) });
    const { id } = await app.start({ params: { return: 1 } });
    const rowOf = () =>
      kethub.platform.database.read.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    while ((await rowOf()).status === 'PENDING') await pause(10);
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    await kethub.restart();
    expect(await rowOf()).toMatchObject({ status: 'CANCELLED', log: '' });
    const log = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/event-stream' } });
    expect(log.text).toContain('event: end');
  });

  test('is run after all when the database was away while it was given back, as a stand-in of the runtime reports', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Given back', probe));
    const { database } = kethub.kethub.platform;
    const write = database.write.bind(database);
    const reset = (): Promise<never> => {
      Object.assign(database, { write });
      return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    };
    // The transaction that comes next.
    const forgotten = refuseFirst(kethub, () => Object.assign(database, { write: reset }));
    expect((await app.finish({ params: { return: 1 } })).status).toBe('SUCCEEDED');
    expect(forgotten()).toBeGreaterThan(1);
  });

  test('stays with the worker that has claimed it when the answer was lost by which it was given back', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Given back and claimed elsewhere', probe));
    const { database } = kethub.kethub.platform;
    const write = database.write.bind(database);
    const another = { id: 'another', host: 'elsewhere', beats: 1, seen_at: 1, pythons: null, lost_at: null, cpus: null, memory_bytes: null, gpus: null }; // prettier-ignore
    await write((transaction) => transaction.insertInto('workers').values(another).execute());
    const forgotten = refuseFirst(kethub, (id) =>
      Object.assign(database, {
        async write(work: Parameters<typeof write>[0]) {
          Object.assign(database, { write });
          const claimed = { status: 'RUNNING', worker_id: 'another', started_at: 1 } as const;
          await write(async (transaction) => {
            await work(transaction);
            await transaction.updateTable('executions').set(claimed).where('id', '=', id).executeTakeFirst();
          });
          throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        },
      }),
    );
    const { id } = await app.start({ params: { return: 1 } });
    while (forgotten() < 2) await pause(10);
    await pause(500);
    const row = database.read.selectFrom('executions').select(['status', 'worker_id']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'RUNNING', worker_id: 'another' });
  });

  test('is run after all when its worker claims it again before it hears that it was given back', async () => {
    const app = await callerOf(await deploy(kethub.client, 'Given back and claimed', probe));
    const { database } = kethub.kethub.platform;
    const write = database.write.bind(database);
    const claimed = async (id: string): Promise<boolean> => {
      const row = database.read.selectFrom('executions').select('status').where('id', '=', id);
      return (await row.executeTakeFirst())?.status === 'RUNNING';
    };
    refuseFirst(kethub, (id) =>
      Object.assign(database, {
        async write(work: Parameters<typeof write>[0]) {
          Object.assign(database, { write });
          const done = await write(work);
          while (!(await claimed(id))) await pause(10);
          // The claim is answered before this transaction is.
          await pause(500);
          return done;
        },
      }),
    );
    expect((await app.finish({ params: { return: 1 } })).status).toBe('SUCCEEDED');
  });
});
