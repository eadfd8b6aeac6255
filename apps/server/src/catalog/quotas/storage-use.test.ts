import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { insertMany, type ExecutionRow } from '../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { lockStorage, readStorage, requireStart, takeStorage } from './index.ts';
import { recountStorage } from './recount.ts';

const ADMINISTRATOR = { id: 'administrator', credential: 'LOGIN_SESSION' } as const;
const ada = { type: 'USER', id: 'ada' } as const;
const lab = { type: 'ORGANIZATION', id: 'lab' } as const;
const NONE = { inputs: 0, results: 0, files: 0, logs: 0, data_pools: 0, services: 0 };

describe.each(databases())('what an owner keeps on $name', ({ name, open }) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(open, {
      settings: { KETHUB_OWNER_STORAGE_MB: '1', KETHUB_OWNER_PENDING_EXECUTIONS: '3' },
    });
    await addBareVersion(platform, 'v');
  });
  afterAll(() => platform.close());

  const useOf = async (owner: typeof ada | typeof lab) =>
    (await readStorage(platform, platform.database.read, owner)).use;
  const insert = (rows: readonly ExecutionRow[]) =>
    platform.database.write((transaction) =>
      insertMany(transaction, 'executions', Object.keys(rows[0] ?? {}) as (keyof ExecutionRow)[], rows),
    );
  const change = (id: string, values: Partial<ExecutionRow>) =>
    platform.database.write((transaction) =>
      transaction.updateTable('executions').set(values).where('id', '=', id).execute(),
    );
  const remove = () => platform.database.write((transaction) => transaction.deleteFrom('executions').execute());
  const recount = () => recountStorage(platform, ADMINISTRATOR);

  test('executions count from their input to their deletion, in bytes and not in characters', async () => {
    const row = pendingExecution(platform, 'ada', 'v');
    const other = { ...pendingExecution(platform, 'ada', 'v'), input: null, input_blob: 'i', input_bytes: 100_000 };
    await insert([{ ...row, input: '"ä€"' }, other]);
    expect(await useOf(ada)).toEqual({ ...NONE, inputs: 7 + 100_000 });
    await change(other.id, { input_blob: null, result_blob: 'r', result_bytes: 70_000, log: 'ö', record: '{}' });
    await change(row.id, { input: null, log_blob: 'l', log_bytes: 80_000, file_bytes: 5, cause: '{"a":1}' });
    expect(await useOf(ada)).toEqual({ ...NONE, results: 70_002 + 7, files: 5, logs: 80_002 });
    expect(await recount()).toMatchObject({ corrected: [] });
    await remove();
    expect(await useOf(ada)).toEqual(NONE);
  });

  test('data pools and services count for their owner, and go with them to another', async () => {
    const owner = { owner_type: ada.type, owner_id: ada.id };
    await platform.database.write(async (transaction) => {
      const pool = {
        id: 'p',
        ...owner,
        name: 'p',
        description: '',
        files: 0,
        bytes: 0,
        created_at: 1,
        short_description: '',
        tags: '[]',
        revision: 1,
      };
      await transaction.insertInto('data_pools').values(pool).execute();
      await transaction.updateTable('data_pools').set({ bytes: 11 }).where('id', '=', 'p').execute();
      await transaction.updateTable('services').set(owner).where('id', '=', 'service of v').execute();
      await transaction.updateTable('service_versions').set({ source_bytes: 20 }).where('id', '=', 'v').execute();
      const build = { id: 'b', service_version_id: 'v', status: 'PENDING', created_at: 1 } as const;
      const nothing = { started_at: null, ended_at: null, problem: null, worker_id: null };
      const log = { log: null, log_blob: null, log_bytes: null };
      await transaction.insertInto('builds').values({ ...build, ...nothing, ...log }).execute(); // prettier-ignore
      await transaction.updateTable('builds').set({ log_blob: 'x', log_bytes: 300 }).where('id', '=', 'b').execute();
    });
    expect(await useOf(ada)).toEqual({ ...NONE, data_pools: 11, services: 320 });
    expect(await recount()).toMatchObject({ corrected: [] });
    await platform.database.write(async (transaction) => {
      const to = { owner_type: lab.type, owner_id: lab.id };
      await transaction.updateTable('data_pools').set(to).where('id', '=', 'p').execute();
      await transaction.updateTable('services').set(to).where('id', '=', 'service of v').execute();
    });
    expect(await useOf(ada)).toEqual(NONE);
    expect(await useOf(lab)).toEqual({ ...NONE, data_pools: 11, services: 320 });
    await platform.database.write(async (transaction) => {
      await transaction.deleteFrom('data_pools').execute();
      await transaction.deleteFrom('services').execute();
    });
    expect(await useOf(lab)).toEqual(NONE);
  });

  test('what a transaction does not commit is not counted', async () => {
    const failing = platform.database.write(async (transaction) => {
      const row = pendingExecution(platform, 'ada', 'v');
      await insertMany(transaction, 'executions', Object.keys(row) as (keyof ExecutionRow)[], [row]);
      expect((await readStorage(platform, transaction, ada)).used).toBe(2);
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await useOf(ada)).toEqual(NONE);
  });

  test('many connections that write at once lose no byte, and a recount corrects what is wrong', async () => {
    const second = await platform.testDatabase.again();
    try {
      const rows = Array.from({ length: 60 }, () => pendingExecution(platform, 'ada', 'v'));
      const columns = Object.keys(rows[0] ?? {}) as (keyof ExecutionRow)[];
      await Promise.all(
        rows.map((row, at) =>
          (at % 2 ? second : platform.database).write((transaction) =>
            insertMany(transaction, 'executions', columns, [row]),
          ),
        ),
      );
      expect(await useOf(ada)).toEqual({ ...NONE, inputs: 120 });
      // A recount does not disturb writers.
      await Promise.all([
        ...rows.slice(0, 30).map(({ id }) => change(id, { input: null, log: 'xyz' })),
        recountStorage(platform, ADMINISTRATOR),
      ]);
      expect(await useOf(ada)).toEqual({ ...NONE, inputs: 60, logs: 90 });
    } finally {
      await second.close();
    }
    await platform.database.write((transaction) =>
      sql`update storage_use set logs = logs + 7 where owner_id = 'ada'`.execute(transaction),
    );
    expect(await recount()).toMatchObject({ corrected: [expect.objectContaining({ ownerId: 'ada', after: 150 })] });
    expect((await readStorage(platform, platform.database.read, ada)).used).toBe(150);
    await remove();
  });

  test('owners who take storage at the same time never take the same bytes', async () => {
    const second = name === 'PostgreSQL' ? await platform.testDatabase.again() : platform.database;
    const quota = 1024 * 1024;
    const much = 600 * 1024;
    const take = (database: typeof second) =>
      database.write(async (transaction) => {
        await takeStorage(platform, transaction, ada, much);
        const row = { ...pendingExecution(platform, 'ada', 'v'), input: null, file_bytes: much };
        await insertMany(transaction, 'executions', Object.keys(row) as (keyof ExecutionRow)[], [row]);
      });
    const ended = await Promise.allSettled([take(platform.database), take(second), take(platform.database)]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'storage-quota-exceeded', message: expect.stringContaining(String(quota)) }); // prettier-ignore
    await platform.database.write((transaction) => lockStorage(transaction, ada));
    if (second !== platform.database) await second.close();
    await remove();
  });

  test('a start is refused for storage and for what waits, and accepted again as soon as there is room', async () => {
    const owner = { type: 'USER', id: 'grace' } as const;
    const start = (bytes = 2) => requireStart(platform, owner, { bytes, waits: true });
    await start();
    await insert(Array.from({ length: 3 }, () => pendingExecution(platform, 'grace', 'v')));
    await start();
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'too-many-pending', headers: { 'retry-after': '10' } });
    await requireStart(platform, owner, { bytes: 2, waits: false });
    await remove();
    await start();
    await expect(start(1024 * 1024 + 1)).rejects.toMatchObject({ code: 'storage-quota-exceeded' });
    await insert([{ ...pendingExecution(platform, 'grace', 'v'), input_blob: 'x', input_bytes: 1024 * 1024 }]);
    // The cached state is valid for a second.
    const refusal = () =>
      start(100).then(
        () => null,
        (error: { code: string }) => error.code,
      );
    await expect.poll(refusal, { timeout: 20_000 }).toBe('storage-quota-exceeded');
    await remove();
    await start(100);
  });
});
