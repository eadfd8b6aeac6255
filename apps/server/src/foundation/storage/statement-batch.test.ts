import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import { StatementBatch } from './statement-batch.ts';

describe.each(databases())('statements that are written together, on $name', ({ open }) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(() => opened.database.write((transaction) => transaction.deleteFrom('orphan_blobs').execute()));

  const columns = ['blob', 'marked_at'] as const;
  const note = (batch: StatementBatch, ...blobs: string[]): void =>
    batch.insert(
      'orphan_blobs',
      columns,
      blobs.map((blob, at) => ({ blob, marked_at: at + 1 })),
    );
  const noted = () => opened.database.read.selectFrom('orphan_blobs').selectAll().orderBy('blob').execute();

  test('are all done, and each returns its own rows', async () => {
    const { database } = opened;
    await database.writeBatch((batch) => note(batch, 'a', 'b', 'c'));
    const { removed, changed, none } = await database.write(async (transaction) => {
      const batch = new StatementBatch(transaction);
      note(batch, 'new');
      const returned = {
        removed: batch.rows(
          sql<{ blob: string; late: boolean | number }>`delete from orphan_blobs where marked_at >= 2
            returning blob, marked_at > 2 as late`,
        ),
        changed: batch.rows(
          sql<{
            marked_at: number;
          }>`update orphan_blobs set marked_at = 1800000000000 where blob = 'a' returning marked_at`,
        ),
        none: batch.rows(sql`delete from orphan_blobs where blob = 'nothing' returning blob`),
      };
      expect(returned.removed.rows).toEqual([]);
      await batch.run();
      return returned;
    });
    expect(new Map(removed.rows.map(({ blob, late }) => [blob, Boolean(late)]))).toEqual(
      new Map([
        ['b', false],
        ['c', true],
      ]),
    );
    expect(changed.rows).toEqual([{ marked_at: 1_800_000_000_000 }]);
    expect(none.rows).toEqual([]);
    expect(await noted()).toEqual([
      { blob: 'a', marked_at: 1_800_000_000_000 },
      { blob: 'new', marked_at: 1 },
    ]);
  });

  test('are all undone when one of them fails, however many they are', async () => {
    const { database } = opened;
    for (const count of [2, 50]) {
      const failing = database.writeBatch((batch) => {
        for (let number = 0; number < count; number += 1) note(batch, `blob ${number}`);
        note(batch, 'blob 0');
      });
      await expect(failing).rejects.toThrow(/unique/i);
      expect(await noted()).toEqual([]);
    }
  });

  test('can be more than fit into one, one, or none', async () => {
    const { database } = opened;
    const blobs = Array.from({ length: 40 }, (_value, number) => `blob ${number + 10}`);
    await database.writeBatch((batch) => {
      for (const blob of blobs) note(batch, blob);
    });
    await database.writeBatch((batch) => note(batch, 'alone'));
    await database.writeBatch(() => undefined);
    expect((await noted()).map(({ blob }) => blob)).toEqual(['alone', ...blobs]);
  });

  test('with more rows than one statement takes are several', async () => {
    const rows = Array.from({ length: 4_100 }, (_value, number) => ({ blob: `${number}`, marked_at: number }));
    await opened.database.writeBatch((batch) => batch.insert('orphan_blobs', columns, rows));
    expect(await noted()).toHaveLength(4_100);
  });
});
