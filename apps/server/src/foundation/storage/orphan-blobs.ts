import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { isStoreAway, type Blobs } from './blobs.ts';
import type { Database, Queries } from './database.ts';
import { recordsOf } from './records.ts';

/** Age in milliseconds after which an orphan is removed: longer than storing a blob and referring to it can take. */
const KEPT_MS = 60 * 60 * 1000;
/** Orphans that are removed at a time. */
const AT_ONCE = 100;
/** `marked_at` of an orphan that is being removed. */
const SWEPT = 0;

/**
 * Marks a blob as an orphan: no row refers to it. A new blob is marked before it is stored, and claimed in the
 * transaction that refers to it. A replaced blob is marked in the transaction that replaces it. So every stored blob
 * is referred to or marked, also after a crash.
 */
export async function markOrphan(transaction: Queries, blob: string, now: number): Promise<void> {
  // An earlier attempt may have marked the blob and crashed before its removal.
  const note = transaction.insertInto('orphan_blobs').values({ blob, marked_at: now });
  await note.onConflict((conflict) => conflict.column('blob').doNothing()).execute();
}

/** Marks many blobs as orphans, with one statement. */
export async function markOrphans(transaction: Queries, blobs: readonly string[], now: number): Promise<void> {
  if (blobs.length === 0) return;
  const noted = recordsOf(
    transaction,
    blobs.map((blob) => ({ blob })),
    { blob: 'text' },
  );
  await sql`insert into orphan_blobs (blob, marked_at) select blob, cast(${now} as bigint) from ${noted} as given
    where true on conflict (blob) do nothing`.execute(transaction);
}

/** Stores a blob and marks it as an orphan. A transaction has to claim it within the hour. */
export async function putOrphan(
  { blobs, database, now }: { blobs: Blobs; database: Database; now: () => number },
  content: string | Buffer,
): Promise<string> {
  const blob = blobs.newKey();
  await database.write((transaction) => markOrphan(transaction, blob, now()));
  return blobs.put(content, blob);
}

/** Claims an orphan: the transaction refers to the blob. Throws if the blob has been removed meanwhile. */
export async function claimBlob(transaction: Queries, blob: string): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('orphan_blobs')
    .where('blob', '=', blob)
    .where('marked_at', '>', SWEPT)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) throw new Error(`The blob ${blob} was removed before it was claimed`);
}

/** True in a statement unless a backup holds the blobs. Its machine and this one agree about the time to some minutes. */
const isNotHeld = (): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from installation where blobs_held_until > cast(${Date.now()} as bigint))`;

/**
 * Removes those of the blobs that are orphans, then their marks. While a backup holds the blobs, or the store is away,
 * they stay: the sweep removes them later. A blob without a mark is in use and stays: a
 * transaction that seemed to fail may have been committed.
 */
export async function removeOrphans(database: Database, blobs: Blobs, unused: readonly string[]): Promise<void> {
  try {
    await removeMarked(database, blobs, unused);
  } catch (error) {
    // The caller has committed its change, so that the request must not fail.
    if (!isStoreAway(error)) throw error;
  }
}

async function removeMarked(database: Database, blobs: Blobs, unused: readonly string[]): Promise<void> {
  for (let start = 0; start < unused.length; start += AT_ONCE) {
    const some = unused.slice(start, start + AT_ONCE);
    const marked = await database.write((transaction) =>
      transaction
        .updateTable('orphan_blobs')
        .set({ marked_at: SWEPT })
        .where('blob', 'in', some)
        .where(isNotHeld())
        .returning('blob')
        .execute(),
    );
    if (marked.length === 0) continue;
    const removed = marked.map(({ blob }) => blob);
    for (const blob of removed) await blobs.remove(blob);
    await database.write((transaction) =>
      transaction.deleteFrom('orphan_blobs').where('blob', 'in', removed).execute(),
    );
  }
}

/** Removes orphans older than an hour. Each is marked as SWEPT first, so that a late claim fails. */
export async function sweepOrphans(database: Database, blobs: Blobs, now: number): Promise<void> {
  const before = now - KEPT_MS;
  for (;;) {
    const old = await database.read
      .selectFrom('orphan_blobs')
      .select('blob')
      .where('marked_at', '<', before)
      .where(isNotHeld())
      .limit(AT_ONCE)
      .execute();
    for (const { blob } of old) if (await mark(database, blob, before)) await removeMarked(database, blobs, [blob]);
    if (old.length < AT_ONCE) return;
  }
}

async function mark(database: Database, blob: string, before: number): Promise<boolean> {
  const { numUpdatedRows } = await database.write((transaction) =>
    transaction
      .updateTable('orphan_blobs')
      .set({ marked_at: SWEPT })
      .where('blob', '=', blob)
      .where('marked_at', '<', before)
      .executeTakeFirst(),
  );
  return numUpdatedRows === 1n;
}
