import { sql } from 'kysely';
import type { Blobs } from './blobs.ts';
import type { Database, Queries } from './database.ts';
import { recordsOf } from './records.ts';

/** Longer than storing a blob and referring to it can take. */
const KEPT_MS = 60 * 60 * 1000;
const AT_ONCE = 100;
/** The time of a note whose blob is being removed. */
const SWEPT = 0;

/**
 * A blob is noted here before it is stored, and its note goes in the transaction that refers to it; the note of one that
 * is replaced comes in the transaction that replaces it. So at every moment, crashes included, a blob is referred to or
 * noted.
 */
export async function markOrphan(transaction: Queries, blob: string, now: number): Promise<void> {
  // Noted already: by an attempt before, which died before it could remove it.
  const note = transaction.insertInto('orphan_blobs').values({ blob, marked_at: now });
  await note.onConflict((conflict) => conflict.column('blob').doNothing()).execute();
}

/** The same for many, in one statement. */
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

/** Stores what a transaction is going to refer to, within the hour; until then it is noted. */
export async function putOrphan(
  { blobs, database, now }: { blobs: Blobs; database: Database; now: () => number },
  content: string | Buffer,
): Promise<string> {
  const blob = blobs.newKey();
  await database.write((transaction) => markOrphan(transaction, blob, now()));
  return blobs.put(content, blob);
}

/** Takes the note of a blob that is referred to from now on. Throws when it was swept away meanwhile. */
export async function claimBlob(transaction: Queries, blob: string): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('orphan_blobs')
    .where('blob', '=', blob)
    .where('marked_at', '>', SWEPT)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) throw new Error(`The blob ${blob} was swept away before it was referred to`);
}

/**
 * Removes blobs that are noted, then their notes. What has no note is in use, and stays: of a transaction that failed only
 * the answer may have been lost.
 */
export async function removeOrphans(database: Database, blobs: Blobs, unused: readonly string[]): Promise<void> {
  for (let start = 0; start < unused.length; start += AT_ONCE) {
    const some = unused.slice(start, start + AT_ONCE);
    const marked = await database.write((transaction) =>
      transaction
        .updateTable('orphan_blobs')
        .set({ marked_at: SWEPT })
        .where('blob', 'in', some)
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

/** Removes blobs that were noted long ago. Marked first: whoever comes late learns that the blob is not there. */
export async function sweepOrphans(database: Database, blobs: Blobs, now: number): Promise<void> {
  const before = now - KEPT_MS;
  for (;;) {
    const old = await database.read
      .selectFrom('orphan_blobs')
      .select('blob')
      .where('marked_at', '<', before)
      .limit(AT_ONCE)
      .execute();
    for (const { blob } of old) if (await mark(database, blob, before)) await removeOrphans(database, blobs, [blob]);
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
