import { findDeletion, insertDeletion, lockAccount, type Owned } from '../deletions/index.ts';
import { deleteIdempotencyRecords, Problem } from '../../foundation/http/index.ts';
import { withdrawMails } from '../../foundation/mail/index.ts';
import type { AccountDeletionRow, Queries } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { tokenAnswersOf } from './create-access-token.ts';
import { deleteUserRows } from './delete-user-rows.ts';

const MOST_NAMED = 10;

/**
 * The first step, one transaction: asks the catalogs, deletes every row of the user and notes that the deletion has
 * begun; `recipients` are those whose mails are withdrawn (see recipientOf). From its commit on the person is found by nobody, and can create nothing. Throws still-owner and
 * catalog-unavailable; then nothing is deleted.
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
      'Whether this user is the only owner of something cannot be found out at the moment. Nothing was deleted. Try again.',
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
    `You are the only owner of ${named.join(', ')}${others}. Do first what is said in brackets, then repeat DELETE /me. Nothing was deleted.`,
  );
}
