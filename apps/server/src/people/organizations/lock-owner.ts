import { lockAccountShared } from '../deletions/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { lockOrganization } from './memberships.ts';

/**
 * Keeps an owner from being deleted until the end of the transaction. Code that creates something for an owner calls it
 * first. Throws account-being-deleted, or not-found for an organization that is gone.
 */
export async function lockOwnerShared(
  { database }: Platform,
  transaction: Queries,
  { type, id }: { readonly type: OwnerType; readonly id: string },
): Promise<void> {
  if (type === 'USER') await lockAccountShared(database, transaction, id);
  else await lockOrganization(database, transaction, id, 'SHARED');
}
