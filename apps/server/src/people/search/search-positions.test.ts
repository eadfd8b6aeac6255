import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import { insertMany } from '../../foundation/storage/index.ts';
import { fillSearch, lockSearch, putIntoSearch } from './search-index.ts';
import { searchTextOf } from './search-text.ts';

const PROFILE = { email: 'x@example.org', created_at: 0, updated_at: 0 };
const personOf = (number: number, lastname: string) => ({
  ...PROFILE,
  id: `person-${number}`,
  username: `u${number}`,
  firstname: 'Ada',
  lastname,
});

describe.each(databases())('positions of blocks on $name', ({ open }) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test('stay in the order of the blocks, and the index with them, when everybody new comes in at one place', async () => {
    const known = Array.from({ length: 2_000 }, (_none, number) => personOf(number, number < 1_000 ? 'a' : 'z'));
    // Each name sorts after the one before, and all before those with z. Gaps of 2^30 are used up after 30 blocks.
    const added = Array.from({ length: 1_000 }, (_none, number) => personOf(2_000 + number, `m${10_000 + number}`));
    const { database } = opened;
    await database.write(async (transaction) => {
      await lockSearch(transaction);
      const columns = ['id', 'username', 'firstname', 'lastname', 'email', 'created_at', 'updated_at'] as const;
      await insertMany(transaction, 'users', columns, [...known, ...added]);
      await fillSearch(
        transaction,
        known.map((person) => ({ id: person.id, search_text: searchTextOf(person) })),
      );
      for (const person of added) await putIntoSearch(transaction, person.id, searchTextOf(person));
    });
    const { read, dialect } = database;
    const blocks = await read.selectFrom('user_search_blocks').select(['position', 'low']).orderBy('low').execute();
    const positions = blocks.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
    expect(positions.length).toBeGreaterThan(2_000 / 48 + 1_000 / 48);
    const indexed = await (
      dialect === 'sqlite'
        ? sql<{ position: number }>`select rowid as position from user_search_grams order by rowid`
        : sql<{ position: number }>`select position from user_search_grams order by position`
    ).execute(read);
    expect(indexed.rows.map(({ position }) => position)).toEqual(positions);
  });
});
