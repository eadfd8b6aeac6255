import { sql } from 'kysely';
import type { Database, Queries } from '../../foundation/storage/index.ts';
import { lockSearch } from '../search/index.ts';
import { deleteProfileImage } from './profile-image-queries.ts';

/** Deletes all rows of a user. Returns the blob of the profile image, or null. */
export async function deleteUserRows(
  { dialect }: Database,
  transaction: Queries,
  userId: string,
): Promise<string | null> {
  // Tokens are locked in the order in which last uses are written, which rules out a deadlock.
  if (dialect === 'postgres')
    await sql`select id from access_tokens where user_id = ${userId} order by id for update`.execute(transaction);
  await lockSearch(transaction);
  await transaction.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
  await transaction.deleteFrom('user_search').where('user_id', '=', userId).execute();
  await transaction.deleteFrom('search_changes').where('user_id', '=', userId).execute();
  await transaction
    .deleteFrom('audit_entries')
    .where('owner_type', '=', 'USER')
    .where('owner_id', '=', userId)
    .execute();
  const blob = await deleteProfileImage(transaction, userId);
  await transaction.deleteFrom('users').where('id', '=', userId).execute();
  return blob;
}
