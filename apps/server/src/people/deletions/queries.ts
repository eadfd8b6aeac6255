import { sql } from 'kysely';
import {
  createLookUp,
  isAmong,
  type AccountDeletionRow,
  type Database,
  type Queries,
} from '../../foundation/storage/index.ts';

/** Finds the deletion of an account, begun or ended; undefined when there is none. Every request calls it. */
export type FindDeletion = (userId: string) => Promise<AccountDeletionRow | undefined>;

export function createFindDeletion(database: Database): FindDeletion {
  return createLookUp<AccountDeletionRow>(database, 'account_deletions', 'user_id');
}

/** Finds the users among these whose account is deleted or being deleted. */
export type FindLeaving = (userIds: readonly string[]) => Promise<ReadonlySet<string>>;

export function createFindLeaving({ read }: Database): FindLeaving {
  return async (userIds) => {
    const asked = userIds.filter((id) => !id.includes('\0'));
    const among = isAmong(read, 'user_id', asked);
    const rows = await read.selectFrom('account_deletions').select('user_id').where(among).execute();
    return new Set(rows.map(({ user_id }) => user_id));
  };
}

export function findDeletion(queries: Queries, userId: string): Promise<AccountDeletionRow | undefined> {
  return queries.selectFrom('account_deletions').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/**
 * Takes the advisory lock of an account until the end of the transaction. SQLite has one writer: there it needs no
 * lock.
 */
export async function lockAccount(
  { dialect }: Database,
  transaction: Queries,
  userId: string,
  how: 'SHARED' | 'EXCLUSIVE',
): Promise<void> {
  if (dialect === 'sqlite') return;
  const lock = sql.raw(how === 'SHARED' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(hashtextextended(${`account ${userId}`}, 0))`.execute(transaction);
}

/** Records that the deletion has begun. The account must be locked EXCLUSIVE. */
export function insertDeletion(transaction: Queries, deletion: AccountDeletionRow): Promise<AccountDeletionRow> {
  return transaction.insertInto('account_deletions').values(deletion).returningAll().executeTakeFirstOrThrow();
}

export async function endDeletion(transaction: Queries, userId: string, now: number): Promise<void> {
  await transaction
    .updateTable('account_deletions')
    .set({ image_blob: null, ended_at: now })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Deletions that have not ended, by the id of the user, after `last`. */
export function listBegunDeletions(queries: Queries, last: string, limit: number): Promise<AccountDeletionRow[]> {
  return queries
    .selectFrom('account_deletions')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('user_id', '>', last)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

export async function forgetDeletions(transaction: Queries, endedBefore: number): Promise<void> {
  await transaction.deleteFrom('account_deletions').where('ended_at', '<', endedBefore).execute();
}
