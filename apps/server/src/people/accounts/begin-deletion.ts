import { sql } from 'kysely';
import { findDeletion, insertDeletion, lockAccount, type Owned } from '../deletions/index.ts';
import { deleteIdempotencyRecords, Problem } from '../../foundation/http/index.ts';
import { withdrawMails } from '../../foundation/mail/index.ts';
import type { AccountDeletionRow, Queries, Database } from '../../foundation/storage/index.ts';
import { lockSearch } from '../search/index.ts';
import type { AccountServices } from './services.ts';
import { tokenAnswersOf } from './access-tokens.ts';
import { deleteProfileImage } from './profile-image-queries.ts';

/** Resources that the problem text names; further ones are summed up as "more". */
const MOST_NAMED = 10;

/**
 * The first step of a deletion, in one transaction: asks the catalogs, deletes every row of the user, and records
 * that the deletion has begun. Mails to `recipients` (see recipientOf) are withdrawn. After the commit no look-up
 * finds the person, and the person can create nothing. If it throws still-owner or catalog-unavailable, nothing is
 * deleted.
 */
export function beginDeletion(
  services: AccountServices,
  userId: string,
  recipients: readonly string[],
): Promise<AccountDeletionRow> {
  const { platform, catalogs } = services;
  return platform.database.write(async (transaction) => {
    await lockAccount(platform.database, transaction, userId, 'EXCLUSIVE');
    const begun = await findDeletion(transaction, userId);
    if (begun) return begun;
    requireNothing(await ownedBy(services, transaction, userId));
    for (const catalog of catalogs) await catalog.forget(transaction, userId);
    await deleteIdempotencyRecords(transaction, tokenAnswersOf(userId));
    await withdrawMails(transaction, platform.seal, recipients);
    const image_blob = await deleteUserRows(platform.database, transaction, userId);
    return insertDeletion(transaction, {
      user_id: userId,
      image_blob,
      recipients: JSON.stringify(recipients),
      begun_at: platform.now(),
      ended_at: null,
    });
  });
}

async function ownedBy({ catalogs }: AccountServices, transaction: Queries, userId: string): Promise<Owned[]> {
  try {
    const owned: Owned[] = [];
    for (const catalog of catalogs) owned.push(...(await catalog.ownedBy(transaction, userId, MOST_NAMED + 1)));
    return owned;
  } catch (cause) {
    throw new Problem(
      'catalog-unavailable',
      'Kethub cannot find out at the moment whether this user is the only owner of something. Nothing was deleted. Try again.',
      { cause },
    );
  }
}

function requireNothing(owned: readonly Owned[]): void {
  if (owned.length === 0) return;
  const named = owned.slice(0, MOST_NAMED).map(({ what, remedy }) => `${what} (${remedy})`);
  const others = owned.length > MOST_NAMED ? ', and more' : '';
  throw new Problem(
    'still-owner',
    `You are the only owner of ${named.join(', ')}${others}. Make the calls in brackets first, then repeat DELETE /me. Nothing was deleted.`,
  );
}

/** Deletes all rows of a user. Returns the blob of the profile image, or null. */
async function deleteUserRows({ dialect }: Database, transaction: Queries, userId: string): Promise<string | null> {
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
