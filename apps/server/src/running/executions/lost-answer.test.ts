import { setTimeout as pause } from 'node:timers/promises';
import { RuntimeUnavailable } from '@kethub/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

describe.each(databases)('an execution whose start is not answered, on $name', (kind) => {
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
    const { runtime, platform } = kethub.kethub;
    const { database } = platform;
    const [start, list, forget] = [
      runtime.start.bind(runtime),
      runtime.list.bind(runtime),
      runtime.forget.bind(runtime),
    ];
    const write = database.write.bind(database);
    let refused: string | null = null;
    let forgotten = 0;
    const end = {
      cause: null,
      startedAt: 0,
      endedAt: 0,
      result: null,
      files: [],
      peakMemoryBytes: null,
      cpuMs: null,
      logBytes: 0,
    };
    const reset = (): Promise<never> => {
      Object.assign(database, { write });
      return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    };
    Object.assign(runtime, {
      start(job: Parameters<typeof start>[0]) {
        if (refused !== null) return start(job);
        refused = job.executionId;
        return Promise.resolve('STARTED');
      },
      async list() {
        const known = await list();
        if (refused === null || forgotten > 0) return known;
        return [
          ...known,
          { executionId: refused, state: 'ENDED', end: { executionId: refused, outcome: 'NOT_STARTED', ...end } },
        ];
      },
      async forget(id: string) {
        await forget(id);
        if (id !== refused) return;
        // The transaction that comes next.
        if (forgotten === 0) Object.assign(database, { write: reset });
        forgotten += 1;
      },
    });
    expect((await app.finish({ params: { return: 1 } })).status).toBe('SUCCEEDED');
    expect(forgotten).toBeGreaterThan(1);
  });
});
