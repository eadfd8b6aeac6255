import { sql } from 'kysely';
import type { AccessTokenRow, Queries, UserRow } from '../../foundation/storage/index.ts';
import { personName } from './person-name.ts';
import type { OwnerRenamed } from '../deletions/index.ts';
import { lockSearch, putIntoSearch, searchTextOf } from '../search/index.ts';

/** The SQL of users and their personal access tokens. */

export function findUser(queries: Queries, id: string): Promise<UserRow | undefined> {
  return queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds a user, or updates the fields of the identity provider. Concurrent calls get the same record. */
export async function upsertUser(transaction: Queries, user: UserRow, ownerRenamed: OwnerRenamed): Promise<UserRow> {
  await lockSearch(transaction);
  const { username, email, firstname, lastname, updated_at } = user;
  const row = await transaction
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ username, email, firstname, lastname, updated_at }))
    .returningAll()
    .executeTakeFirstOrThrow();
  await putIntoSearch(transaction, row.id, searchTextOf(row));
  await ownerRenamed(transaction, { type: 'USER', id: row.id }, personName(row));
  return row;
}

/**
 * The record of a user, locked until the end of the transaction. It is locked by an update, which works on both
 * databases. The account must be locked already, so that the user is not deleted.
 */
export function lockUser(transaction: Queries, id: string, now: number): Promise<UserRow> {
  return transaction
    .updateTable('users')
    .set({ updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes the fields that the user edits. The user must exist. */
export function updateProfile(
  transaction: Queries,
  id: string,
  profile: Pick<UserRow, 'current_position' | 'homepage' | 'about'>,
): Promise<UserRow> {
  return transaction.updateTable('users').set(profile).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** The tokens of a user that are not the default token, newest first. */
export function listAccessTokens(queries: Queries, userId: string): Promise<AccessTokenRow[]> {
  return queries
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_default', '=', 0)
    .orderBy('id', 'desc')
    .execute();
}

export function findDefaultToken(queries: Queries, userId: string): Promise<AccessTokenRow | undefined> {
  return queries
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_default', '=', 1)
    .executeTakeFirst();
}

export async function insertAccessToken(transaction: Queries, token: AccessTokenRow): Promise<void> {
  await transaction.insertInto('access_tokens').values(token).execute();
}

/** Adds the default token unless there is one. */
export async function insertDefaultToken(transaction: Queries, token: AccessTokenRow): Promise<void> {
  await transaction
    .insertInto('access_tokens')
    .values(token)
    .onConflict((conflict) => conflict.column('user_id').where(isDefault).doNothing())
    .execute();
}

/** Replaces the default token in one statement; the later of two concurrent calls wins. */
export async function replaceDefaultToken(transaction: Queries, token: AccessTokenRow): Promise<void> {
  const { user_id: _same, ...content } = token;
  await transaction
    .insertInto('access_tokens')
    .values(token)
    .onConflict((conflict) => conflict.column('user_id').where(isDefault).doUpdateSet(content))
    .execute();
}

/** Deletes a token of this user. Returns whether it existed. */
export async function deleteAccessToken(transaction: Queries, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Records a use, unless a later one is recorded or the token was deleted. */
export async function noteUse(transaction: Queries, id: string, usedAt: number): Promise<void> {
  await transaction
    .updateTable('access_tokens')
    .set({ used_at: usedAt })
    .where('id', '=', id)
    .where((token) => token.or([token('used_at', 'is', null), token('used_at', '<', usedAt)]))
    .execute();
}

// A literal, as in the partial index: neither database uses the index for a parameter.
const isDefault = sql<boolean>`is_default = 1`;
