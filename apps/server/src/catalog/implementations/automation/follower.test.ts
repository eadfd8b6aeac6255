import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import { makeSourcesDue } from '../queries.ts';
import type { GitStore } from '../store.ts';
import { SourceFollower } from './follower.ts';

const SOURCES = 5_000;

// No repository is read: as a fake, every one is being written, so that each look ends with its row.
const store = { repositories: { isWritten: () => true } } as unknown as GitStore;

describe.each(databases())(`${SOURCES} sources of services on $name`, ({ open }) => {
  let platform: TestPlatform;
  let now = 1_000_000;
  let statements: string[] = [];
  let follower: SourceFollower;
  let onWrite: TestPlatform['database']['write'];

  beforeAll(async () => {
    platform = await createTestPlatform(open, { now: () => now });
    await platform.database.write(async (transaction) => {
      const numbers = sql`with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${SOURCES - 1})`;
      for (const id of ['quiet', 'pushed'])
        await sql`insert into implementations
          (id, owner_type, owner_id, name, description, visibility, default_branch, bytes, created_at, revision)
          values (${id}, 'USER', 'u', ${id}, '', 'PRIVATE', 'main', 0, 1, 1)`.execute(transaction);
      await sql`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
        ${numbers} select 's' || n, 'USER', 'u', 's' || n, 's' || n, 'MANAGED', '', 1, 1 from numbers`.execute(
        transaction,
      );
      await sql`insert into service_sources
        (service_id, implementation_id, watched, pattern, action, set_by, created_at, revision)
        ${numbers} select 's' || n, case when n = 7 then 'pushed' else 'quiet' end, 'BRANCH', 'main', 'DRAFT', 'u', 1, 1
        from numbers`.execute(transaction);
    });
    const { read } = platform.database;
    ({ write: onWrite } = platform.database);
    const counted = read.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(node.kind);
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const write: typeof platform.database.write = (run) => {
      statements.push('write');
      return onWrite(run);
    };
    follower = new SourceFollower({ ...platform, database: { ...platform.database, read: counted, write } }, store);
  });
  afterAll(() => platform.close());
  beforeEach(() => {
    now += 10_000;
    statements = [];
  });

  const clear = () =>
    platform.database.write((transaction) =>
      transaction.updateTable('service_sources').set({ due_at: null }).execute(),
    );

  test('at the start all are looked at once, in rounds', async () => {
    expect(await follower.run()).toBe(100);
    await clear();
  });

  test('without a push a round is one statement, and a push adds the look at its own source', async () => {
    expect(await follower.run()).toBe(0);
    expect(statements).toEqual(['SelectQueryNode']);
    await platform.database.write((transaction) => makeSourcesDue(transaction, now, 'pushed'));
    statements = [];
    expect(await follower.run()).toBe(1);
    expect(statements).toEqual(['SelectQueryNode', 'write']);
    await clear();
  });

  test('a clock that is set back by hours puts no source off', async () => {
    now += 6 * 3_600_000;
    await platform.database.write((transaction) => makeSourcesDue(transaction, now, 'pushed'));
    expect(await follower.run()).toBe(1);
    now -= 6 * 3_600_000;
    expect(await follower.run()).toBe(1);
    // It is due again after its own wait.
    expect(await follower.run()).toBe(0);
    now += 10_000;
    expect(await follower.run()).toBe(1);
    await clear();
  });

  test('a push during the look at its source is looked at as well', async () => {
    await platform.database.write((transaction) => makeSourcesDue(transaction, now, 'pushed'));
    const { write, read } = platform.database;
    const interrupted: typeof write = async (run) => {
      // The push comes in the same millisecond as the one before.
      await write((transaction) => makeSourcesDue(transaction, now, 'pushed'));
      return write(run);
    };
    onWrite = interrupted;
    expect(await follower.run()).toBe(1);
    const due = await read
      .selectFrom('service_sources')
      .select(['service_id', 'due_at'])
      .where('due_at', 'is not', null)
      .execute();
    expect(due).toEqual([{ service_id: 's7', due_at: now + 1 }]);
  });
});
