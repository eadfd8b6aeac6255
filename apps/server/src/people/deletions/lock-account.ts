import { Problem } from '../../foundation/http/index.ts';
import type { Database, Queries } from '../../foundation/storage/index.ts';
import { findDeletion, lockAccount } from './queries.ts';

/**
 * Keeps the account from being deleted until the end of the transaction, and throws account-being-deleted when that has
 * begun already. Whatever creates something that belongs to a user calls this first in the same transaction: a request
 * may have been admitted before the deletion began, on another process.
 */
export async function lockAccountShared(database: Database, transaction: Queries, userId: string): Promise<void> {
  await lockAccount(database, transaction, userId, 'SHARED');
  if (await findDeletion(transaction, userId)) throw beingDeleted();
}

export function beingDeleted(): Problem {
  return new Problem(
    'account-being-deleted',
    'This account is being deleted. All that can be done with it is to repeat DELETE /me.',
  );
}
