import { lockAccountShared } from '../deletions/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { lockOrganization } from './memberships.ts';

/**
 * Locks an owner, so that it is not deleted before the transaction ends. Code that creates a resource for an owner
 * calls it first. Throws account-being-deleted, or not-found for a deleted organization.
 */
export async function lockOwnerShared(
  { database }: Platform,
  transaction: Queries,
  { type, id }: { readonly type: OwnerType; readonly id: string },
): Promise<void> {
  if (type === 'USER') await lockAccountShared(database, transaction, id);
  else await lockOrganization(database, transaction, id, 'SHARED');
}
