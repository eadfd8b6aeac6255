import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { RuntimeConfiguration } from '@kethub/contract';
import { RuntimeUnavailable } from '@kethub/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Claims } from '../../../running/executions/schedule/index.ts';
import type { BuildRow, Database } from '../../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../../testing/bare-executions.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import type { Builder, BuildOutcome } from '../builder.ts';
import { insertBuild } from '../versions.ts';
import { BuildClaims } from './claim.ts';
import { entry } from './log.ts';
import { BuildWorker } from './worker.ts';

const GB = 2 ** 30;
const capacity = { cpus: 4, memoryBytes: 64 * GB, gpus: {} };

describe.each(databases())('the queue of builds on $name', (kind) => {
  let platform: TestPlatform;
  let second: Database;
  let blob = '';
  const workers: BuildWorker[] = [];
  let number = 0;
  beforeAll(async () => {
    const settings = { KETHUB_OWNER_BUILDS: '5', KETHUB_BUILDS: '12', KETHUB_WORKER_CPUS: '4' };
    platform = await createTestPlatform(kind.open, { settings });
    blob = platform.blobs.newKey();
    await platform.blobs.put(Readable.from([Buffer.from('zip')]), blob);
    second = kind.name === 'SQLite' ? platform.database : await platform.testDatabase.again();
  });
  afterAll(async () => {
    if (second !== platform.database) await second.close();
    await platform.close();
  });
  beforeEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await platform.database.write(async (transaction) => {
      for (const table of [
        'executions',
        'queues',
        'builds',
        'build_queues',
        'service_versions',
        'services',
        'workers',
      ] as const)
        await transaction.deleteFrom(table).execute();
    });
  });

  const addVersion = async (ownerId: string, digest: string): Promise<string> => {
    const id = `v${++number}`;
    await addBareVersion(platform, id);
    await platform.database.write(async (transaction) => {
      await transaction
        .updateTable('services')
        .set({ owner_id: ownerId })
        .where('id', '=', `service of ${id}`)
        .execute();
      await transaction
        .updateTable('service_versions')
        .set({ build_id: `build of ${id}`, source_digest: digest, source_blob: blob })
        .where('id', '=', id)
        .execute();
    });
    return id;
  };
  const queue = async (ownerId: string, count = 1): Promise<string[]> => {
    const ids: string[] = [];
    for (let one = 0; one < count; one++) {
      const id = await addVersion(ownerId, `${ownerId} ${number}`);
      await platform.database.write((transaction) => insertBuild(platform, transaction, `build of ${id}`, id));
      ids.push(`build of ${id}`);
    }
    return ids;
  };
  const builds = (): Promise<BuildRow[]> => platform.database.read.selectFrom('builds').selectAll().execute();
  const status = async (id: string): Promise<string | undefined> =>
    (await builds()).find((one) => one.id === id)?.status;
  const running = async (): Promise<number> => (await builds()).filter((one) => one.status === 'RUNNING').length;
  const hasEnded = (is: string | undefined): boolean => is === 'SUCCEEDED' || is === 'FAILED';
  const until = async (isTrue: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await isTrue())) await pause(10);
  };

  const folder = (): string => path.join(platform.configuration.dataDir, 'builds');
  const logs = (): string[] => readdirSync(folder());

  /** A builder whose builds end when the test ends them, or when they are aborted. */
  const createSlow = () => {
    const open = new Map<string, (outcome: BuildOutcome) => void>();
    const given = new Set<string>();
    let begun = 0;
    const builder: Builder = {
      isPresent: () => Promise.resolve(true),
      build(_archive, digest, onLine, signal) {
        // A real builder sees an abort before its start too.
        if (signal.aborted) return Promise.reject(new Error('given up'));
        begun += 1;
        onLine(entry('INFO', 'Begins', Date.now()));
        const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
        open.set(digest, resolve);
        signal.addEventListener('abort', () => {
          given.add(digest);
          reject(new Error('given up'));
        });
        return promise.finally(() => open.delete(digest));
      },
    };
    const end = (): void => {
      for (const resolve of open.values())
        resolve({ ok: true, built: { source: 's', layer: null, imports: [], parameters: [], result: null } });
    };
    return { builder, open, given, end, begun: () => begun };
  };
  const startWorker = async (
    builder: Builder,
    workerId = 'worker',
    database = platform.database,
  ): Promise<BuildWorker> => {
    const own = { ...platform, workerId, database };
    const claims = new BuildClaims(own, workerId, capacity);
    const worker = new BuildWorker(own, [{ runtime: 'PYTHON_TEMPLATE', builder, isReady: () => true }], claims);
    workers.push(worker);
    await worker.start();
    return worker;
  };

  test('another owner begins at once beside builds that do not end, and each owner comes in turn', async () => {
    await queue('a', 5);
    const slow = createSlow();
    await startWorker(slow.builder);
    await until(async () => (await running()) > 0);
    const [other = ''] = await queue('b');
    await until(async () => (await status(other)) === 'RUNNING');
    await until(async () => {
      slow.end();
      return (await builds()).every((row) => row.status === 'SUCCEEDED');
    });
    expect(slow.begun()).toBe(6);
  });

  test('an owner who has as many as may wait is refused with the remedy, others are not, until the platform is full', async () => {
    await queue('a', 5);
    await expect(queue('a')).rejects.toMatchObject({
      code: 'too-many-builds',
      message: expect.stringMatching(/5.*Wait until one/),
    });
    const again = await addVersion('a', 'again');
    await platform.database.write((transaction) =>
      transaction
        .updateTable('builds')
        .set({ service_version_id: again })
        .where('id', 'in', (is) => is.selectFrom('builds').select('id').limit(1))
        .execute(),
    );
    // A new build of a version replaces its old one.
    await platform.database.write((transaction) => insertBuild(platform, transaction, 'anew', again));
    await queue('b', 5);
    await queue('c');
    await expect(queue('c')).rejects.toMatchObject({
      code: 'too-many-builds',
      status: 429,
      headers: { 'retry-after': '30' },
    });
  });

  test('uploads at the same time keep the bound together', async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, (_, one) => addVersion('a', `together ${one}`)));
    const database = (one: number): Database => (one % 2 === 0 ? platform.database : second);
    const added = await Promise.allSettled(
      ids.map((id, one) =>
        database(one).write((transaction) => insertBuild(platform, transaction, `build of ${id}`, id)),
      ),
    );
    expect(added.filter((one) => one.status === 'fulfilled')).toHaveLength(5);
  });

  test('two workers build nothing twice; what one that died was building is built again', async () => {
    await queue('a', 3);
    await queue('b', 3);
    const [one, other] = [createSlow(), createSlow()];
    await startWorker(one.builder);
    await startWorker(other.builder, 'other', second);
    await until(async () => {
      one.end();
      other.end();
      return (await builds()).every((row) => row.status === 'SUCCEEDED');
    });
    expect(one.begun() + other.begun()).toBe(6);

    const [left = ''] = await queue('a');
    await platform.database.write((transaction) =>
      transaction
        .updateTable('builds')
        .set({ status: 'RUNNING', worker_id: 'worker', cpus: 1 })
        .where('id', '=', left)
        .execute(),
    );
    await until(async () => {
      one.end();
      other.end();
      return (await status(left)) === 'SUCCEEDED';
    });
  });

  test('a build whose version is deleted is ended, gives its slot back and leaves no log', async () => {
    const [deleted = ''] = await queue('a');
    const slow = createSlow();
    await startWorker(slow.builder);
    await until(() => slow.open.size === 1);
    await platform.database.write((transaction) => transaction.deleteFrom('services').execute());
    await until(() => slow.given.size === 1);
    const [next = ''] = await queue('a');
    await until(async () => (await status(next)) === 'RUNNING');
    await until(() => slow.open.size === 1);
    expect(logs()).not.toContain(`${deleted}.ndjson`);
  });

  test('a worker that starts removes the logs of builds that an earlier process of it has left', async () => {
    writeFileSync(path.join(folder(), 'gone.ndjson'), 'left');
    await startWorker(createSlow().builder);
    expect(logs()).not.toContain('gone.ndjson');
  });

  test('a build that fails while it reads its source is not repeated, unless the source was cut off', async () => {
    const [build = ''] = await queue('a');
    let begun = 0;
    await startWorker({
      isPresent: () => Promise.resolve(true),
      build(archive) {
        begun += 1;
        // Both end its stream: first the store of files, then the disk of this machine.
        const error = Object.assign(new Error('failed'), { code: begun === 1 ? 'STORE_AWAY' : 'ENOSPC' });
        archive.on('error', () => undefined).destroy(error);
        return Promise.reject(error);
      },
    });
    await until(async () => (await status(build)) === 'FAILED');
    expect(begun).toBe(2);
  });

  test('a build whose runner is lost begins anew', async () => {
    const [build = ''] = await queue('a');
    const slow = createSlow();
    let begun = 0;
    await startWorker({
      ...slow.builder,
      build(...given) {
        begun += 1;
        if (begun === 1) return Promise.reject(new RuntimeUnavailable('The connection to the runner was lost.'));
        return slow.builder.build(...given);
      },
    });
    await until(async () => {
      slow.end();
      return hasEnded(await status(build));
    });
    expect([await status(build), begun]).toEqual(['SUCCEEDED', 2]);
  });

  test('a build whose end meets a database that is away begins anew, and has not failed', async () => {
    const [build = ''] = await queue('a');
    const slow = createSlow();
    let refused = 0;
    const write: Database['write'] = (work) =>
      platform.database.write(async (transaction) => {
        const done = await work(transaction);
        const { status: now } = await transaction
          .selectFrom('builds')
          .select('status')
          .where('id', '=', build)
          .executeTakeFirstOrThrow();
        if (now === 'SUCCEEDED' && ++refused === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        return done;
      });
    await startWorker(slow.builder, 'worker', { ...platform.database, write });
    await until(async () => {
      slow.end();
      return hasEnded(await status(build));
    });
    expect([await status(build), slow.begun()]).toEqual(['SUCCEEDED', 2]);
  });

  const execute = async (configuration: Partial<RuntimeConfiguration>, waitedMs = 0): Promise<void> => {
    const id = `e${++number}`;
    await addBareVersion(platform, id, configuration);
    const row = { ...pendingExecution(platform, 'caller', id), created_at: Date.now() - waitedMs };
    await platform.database.write((transaction) => transaction.insertInto('executions').values(row).execute());
  };
  const claimExecutions = (): Promise<readonly unknown[]> =>
    new Claims({ ...platform, workerId: 'worker' }).claim({
      workerId: 'worker', capacity: { ...capacity, cpus: 2 }, containers: true, promised: new Map(), slots: 9,
    }); // prettier-ignore
  const claimBuilds = async (cpus: number): Promise<number> =>
    (await new BuildClaims(platform, 'worker', { ...capacity, cpus }).claim(['PYTHON_TEMPLATE'])).length;

  test('builds and executions promise a processor once: executions leave only the reserved slots to builds, and wait for builds', async () => {
    await queue('a', 5);
    await queue('b', 5);
    await execute({ cpus: 2 });
    expect(await claimExecutions()).toHaveLength(1);
    expect(await claimBuilds(2)).toBe(2);
    expect(await claimBuilds(2)).toBe(0);
    await platform.database.write((transaction) => transaction.deleteFrom('executions').execute());
    expect(await claimBuilds(2)).toBe(1);
    await execute({ cpus: 2 });
    expect(await claimExecutions()).toHaveLength(0);
    await execute({ cpus: 1 });
    expect(await claimExecutions()).toHaveLength(1);
  });

  test('once an execution has waited for long, builds take no more than the reserved slots', async () => {
    await queue('a', 5);
    await queue('b', 5);
    await execute({ cpus: 1 }, 31_000);
    expect(await claimBuilds(4)).toBe(2);
  });
});
