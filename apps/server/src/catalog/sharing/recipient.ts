import type { Recipient } from '@kethub/contract';
import { findDeletion, lockAccount } from '../../people/deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { isApproved, type IdentityProvider } from '../../people/identity/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/**
 * Throws not-found: the same for unknown, pending, rejected and blocked users. Throws identity-provider-unavailable.
 */
export async function requireApproved(identity: IdentityProvider, { type, id }: Recipient): Promise<void> {
  if (type !== 'USER') return;
  const person = await identity.find(id);
  if (!person || !isApproved(person)) throw nobody();
}

/**
 * Locks the recipient, so that nobody deletes it before the transaction ends. Throws not-found if it does not exist.
 */
export async function lockRecipient(platform: Platform, transaction: Queries, { type, id }: Recipient): Promise<void> {
  if (type === 'ORGANIZATION') return lockOwnerShared(platform, transaction, { type, id });
  await lockAccount(platform.database, transaction, id, 'SHARED');
  if (await findDeletion(transaction, id)) throw nobody();
}

function nobody(): Problem {
  return new Problem('not-found', 'There is no approved user of this id. GET /search finds people by name.', {
    errors: [{ pointer: '/recipient/id', detail: 'is the id of no approved user' }],
  });
}
