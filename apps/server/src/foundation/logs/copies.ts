import { sql } from 'kysely';
import type { Database, Queries } from '../storage/index.ts';

/** The SQL of logs that one process writes and another reads. */

export const LOG_WANTED = 'log-wanted';
export const LOG_COPIED = 'log-copied';

/** Parts of a copied log that one query reads, of at most 1 MiB each. */
const PARTS = 4;

/** Requests the writer to copy all new lines. Returns the number of the request. */
export async function askForLog(database: Database, logId: string): Promise<number> {
  const { asked } = await database.write((transaction) =>
    transaction
      .insertInto('followed_logs')
      .values({ log_id: logId, copied: 0, asked: 1, answered: 0 })
      .onConflict((conflict) => conflict.column('log_id').doUpdateSet({ asked: sql<number>`followed_logs.asked + 1` }))
      .returning('asked')
      .executeTakeFirstOrThrow(),
  );
  database.notify(LOG_WANTED, logId);
  return asked;
}

/** Returns whether the writer has answered this request. */
export async function isAnswered(database: Database, logId: string, question: number): Promise<boolean> {
  const row = await database.read
    .selectFrom('followed_logs')
    .select('answered')
    .where('log_id', '=', logId)
    .executeTakeFirst();
  return row !== undefined && row.answered >= question;
}

/** Copied bytes from a position on; empty if there are no more at the moment. */
export async function readCopies(database: Database, logId: string, fromByte: number): Promise<Buffer> {
  const parts = await database.read
    .selectFrom('log_copies')
    .select(['from_byte', 'text'])
    .where('log_id', '=', logId)
    .where('from_byte', '>=', (query) =>
      query
        .selectFrom('log_copies as before')
        .select(({ fn, val }) => fn.coalesce(fn.max('before.from_byte'), val(0)).as('from_byte'))
        .where('before.log_id', '=', logId)
        .where('before.from_byte', '<=', fromByte),
    )
    .orderBy('from_byte')
    .limit(PARTS)
    .execute();
  const [first] = parts;
  if (!first) return Buffer.alloc(0);
  return Buffer.concat(parts.map(({ text }) => Buffer.from(text))).subarray(fromByte - first.from_byte);
}

/** The logs among these with an unanswered request. */
export function unansweredOf(database: Database, logIds: readonly string[]) {
  return database.read
    .selectFrom('followed_logs')
    .selectAll()
    .where('log_id', 'in', logIds)
    .whereRef('asked', '>', 'answered')
    .execute();
}

export function findFollowed(database: Database, logId: string) {
  return database.read.selectFrom('followed_logs').selectAll().where('log_id', '=', logId).executeTakeFirst();
}

/**
 * Appends complete lines to a copy that ends at `fromByte`. Returns false if it does not end there, or was removed
 * because the whole log has been stored.
 */
export async function addCopy(database: Database, logId: string, fromByte: number, bytes: Buffer): Promise<boolean> {
  return database.write(async (transaction) => {
    const nextByte = fromByte + bytes.length;
    const { numUpdatedRows } = await transaction
      .updateTable('followed_logs')
      .set({ copied: nextByte })
      .where('log_id', '=', logId)
      .where('copied', '=', fromByte)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    const part = { log_id: logId, from_byte: fromByte, next_byte: nextByte, text: bytes.toString('utf8') };
    await transaction.insertInto('log_copies').values(part).execute();
    return true;
  });
}

export async function answerReaders(database: Database, logId: string, question: number): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('followed_logs')
      .set({ answered: question })
      .where('log_id', '=', logId)
      .where('answered', '<', question)
      .execute(),
  );
}

/**
 * Removes the copies of a log, in the transaction that stores the whole log. The row of `followed_logs` goes first,
 * because a writer that is appending has locked it.
 */
export async function removeCopies(transaction: Queries, logId: string): Promise<void> {
  await transaction.deleteFrom('followed_logs').where('log_id', '=', logId).execute();
  await transaction.deleteFrom('log_copies').where('log_id', '=', logId).execute();
}

/** Removes copies of logs that are stored as a whole or do not exist. Readers that came late have caused them. */
export async function removeStrayCopies(database: Database): Promise<void> {
  const stray = await database.read
    .selectFrom('followed_logs')
    .select('log_id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('executions')
            .select('id')
            .whereRef('executions.id', '=', 'followed_logs.log_id')
            .where('log', 'is', null)
            .where('log_blob', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('builds')
            .select('id')
            .whereRef('builds.id', '=', 'followed_logs.log_id')
            .where('log', 'is', null)
            .where('log_blob', 'is', null),
        ),
      ),
    )
    .execute();
  for (const { log_id } of stray) await database.write((transaction) => removeCopies(transaction, log_id));
}
