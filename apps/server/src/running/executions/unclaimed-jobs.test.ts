import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertMany, type ExecutionRow } from '../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { jobPrefixOf, unclaimedJobs } from './unclaimed-jobs.ts';

describe.each(databases())('jobs of a cluster on $name', ({ open }) => {
  const [mine, another] = [randomUUID(), randomUUID()];
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(open);
    await addBareVersion(platform, 'version');
  });
  afterAll(() => platform.close());

  /** Adds an execution, and returns the name of its job on a worker. */
  const add = async (values: Partial<ExecutionRow>, worker = mine): Promise<string> => {
    const row: ExecutionRow = { ...pendingExecution(platform, 'owner', 'version'), ...values };
    await platform.database.write((transaction) =>
      insertMany(transaction, 'executions', Object.keys(row) as (keyof ExecutionRow)[], [row]),
    );
    return `${jobPrefixOf(worker)}${row.id}`;
  };
  const ended = { started_at: 1, ended_at: 2, worker_id: mine, log: '' } as const;

  test('are unclaimed when their execution has ended on the worker that they name, and is collected', async () => {
    const unclaimed = [
      await add({ ...ended, status: 'CANCELLED' }),
      await add({ ...ended, status: 'FAILED' }),
      await add({ ...ended, status: 'UNKNOWN' }),
      await add({ ...ended, status: 'SUCCEEDED', log: null, log_blob: 'log' }),
      await add({ ...ended, status: 'UNKNOWN', worker_id: another }, another),
    ];
    const claimed = [
      await add({ status: 'RUNNING', started_at: 1, worker_id: mine }),
      await add({ status: 'PENDING' }),
      // Its program may still get its time to end, and its log is not stored.
      await add({ ...ended, status: 'CANCELLED', log: null }),
      // Another worker ended it.
      await add({ ...ended, status: 'SUCCEEDED', worker_id: another }),
      // Another installation has it.
      `${jobPrefixOf(mine)}${randomUUID()}`,
    ];
    expect(await unclaimedJobs(platform.database, [...unclaimed, ...claimed])).toEqual(unclaimed);
  });

  test.each([
    ['no ids', 'kethub-nightly'],
    ['one id', `kethub-${mine}`],
    ['more behind the ids', `${jobPrefixOf(mine)}${randomUUID()}-again`],
    ['60,000 characters', `kethub-${'0'.repeat(60_000)}`],
    ['a character that no database stores', `${jobPrefixOf(mine)}\0`],
  ])('with a name that has %s are of somebody else', async (_what, name) => {
    expect(await unclaimedJobs(platform.database, [name])).toEqual([]);
  });
});
