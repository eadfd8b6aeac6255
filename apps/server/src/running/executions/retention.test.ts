import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { insertMany, sweepOrphans, type ExecutionRow } from '../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { deleteOldOnce } from './delete-old.ts';
import { isAlone } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(databases())('executions that are kept for 30 days on $name', ({ name, open }) => {
  let platform: TestPlatform;
  let now = Date.now() - 100 * DAY_MS;
  beforeEach(async () => {
    platform = await createTestPlatform(open, { settings: { KETHUB_EXECUTION_KEEP_DAYS: '30' }, now: () => now });
    await addBareVersion(platform, 'version');
  });
  afterEach(() => platform.close());

  /** Adds executions that were created and have ended, each with a result file, so many days ago. */
  const add = async (count: number, daysAgo: number, values: Partial<ExecutionRow> = {}): Promise<string[]> => {
    now = Date.now() - daysAgo * DAY_MS;
    const rows = Array.from({ length: count }, (): ExecutionRow => {
      const ended = { status: 'SUCCEEDED', started_at: now, ended_at: now, worker_id: 'w', log: '' } as const;
      return { ...pendingExecution(platform, 'owner', 'version'), ...ended, ...values };
    });
    const files: object[] = [];
    for (const { id } of rows)
      files.push({ execution_id: id, name: 'a', blob: await platform.blobs.put('text'), bytes: 4 });
    now = Date.now();
    await platform.database.write(async (transaction) => {
      await insertMany(transaction, 'executions', Object.keys(rows[0] ?? {}) as (keyof ExecutionRow)[], rows);
      await insertMany(transaction, 'execution_files', ['execution_id', 'name', 'blob', 'bytes'], files);
    });
    return rows.map(({ id }) => id);
  };
  const ids = async (): Promise<string[]> => {
    const rows = await platform.database.read.selectFrom('executions').select('id').orderBy('id').execute();
    return rows.map(({ id }) => id);
  };
  const files = async (): Promise<number> => {
    const folder = path.join(platform.configuration.dataDir, 'blobs');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((one) => one.isFile()).length;
  };
  const inUse = async (): Promise<number> =>
    (await platform.database.read.selectFrom('execution_files').select('blob').execute()).length;

  test('are deleted with their files when they are older, in batches, and no others are', async () => {
    await add(120, 40);
    const kept = [
      ...(await add(1, 40, { status: 'RUNNING', ended_at: null, log: null })),
      // Its worker has not collected it.
      ...(await add(1, 40, { status: 'CANCELLED', log: null })),
      // It ran for long.
      ...(await add(1, 40, { ended_at: Date.now() - 10 * DAY_MS })),
      ...(await add(5, 20)),
    ];
    expect(await deleteOldOnce(platform)).toBe(120);
    expect(await ids()).toEqual(kept.toSorted());
    expect([await files(), await inUse()]).toEqual([kept.length, kept.length]);
    expect(await deleteOldOnce(platform)).toBe(0);
  });

  test('have no file without a row, and no row without its file, after a crash in the middle', async () => {
    await add(120, 40);
    const crash = new Error('The process dies');
    const { remove } = platform.blobs;
    platform.blobs.remove = () => Promise.reject(crash);
    await expect(deleteOldOnce(platform)).rejects.toBe(crash);
    platform.blobs.remove = remove;
    expect((await ids()).length).toBe(70);
    expect([await files(), await inUse()]).toEqual([120, 70]);
    // The next round goes on, and the sweep removes what the crash has left.
    expect(await deleteOldOnce(platform)).toBe(70);
    await sweepOrphans(platform.database, platform.blobs, now + DAY_MS);
    expect([await files(), await inUse()]).toEqual([0, 0]);
  });

  test.runIf(name === 'PostgreSQL')('are deleted by one process at a time', async () => {
    await add(3, 40);
    const other = await platform.testDatabase.again();
    await other.write(async (transaction) => {
      expect(await isAlone(transaction)).toBe(true);
      expect(await deleteOldOnce(platform)).toBe(0);
    });
    expect(await deleteOldOnce(platform)).toBe(3);
    await other.close();
  });
});
