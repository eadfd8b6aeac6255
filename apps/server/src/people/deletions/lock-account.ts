import { Problem } from '../../foundation/http/index.ts';
import type { Database, Queries } from '../../foundation/storage/index.ts';
import { findDeletion, lockAccount } from './queries.ts';

/**
 * Locks an account, so that it is not deleted before the transaction ends. Throws account-being-deleted when the
 * deletion has begun. Code that creates a resource for a user calls it first in the same transaction. Another process
 * may have admitted the request before the deletion began.
 */
export async function lockAccountShared(database: Database, transaction: Queries, userId: string): Promise<void> {
  await lockAccount(database, transaction, userId, 'SHARED');
  if (await findDeletion(transaction, userId)) throw beingDeleted();
}

export function beingDeleted(): Problem {
  return new Problem('account-being-deleted', 'This account is being deleted. Only DELETE /me can be repeated.');
}
