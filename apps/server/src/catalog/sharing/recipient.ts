import type { Recipient } from '@kethub/contract';
import { findDeletion, lockAccount } from '../../people/deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { isApproved, type IdentityProvider } from '../../people/identity/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/** Unknown, pending, rejected and switched off look the same. Throws not-found, and identity-provider-unavailable. */
export async function requireApproved(identity: IdentityProvider, { type, id }: Recipient): Promise<void> {
  if (type !== 'USER') return;
  const person = await identity.find(id);
  if (!person || !isApproved(person)) throw nobody();
}

/** Keeps the recipient from being deleted until the end of the transaction. Throws not-found when there is none. */
export async function holdRecipient(platform: Platform, transaction: Queries, { type, id }: Recipient): Promise<void> {
  if (type === 'ORGANIZATION') return lockOwnerShared(platform, transaction, { type, id });
  await lockAccount(platform.database, transaction, id, 'SHARED');
  if (await findDeletion(transaction, id)) throw nobody();
}

function nobody(): Problem {
  return new Problem('not-found', 'There is no approved user of this id. GET /search finds people by name.', {
    errors: [{ pointer: '/recipient/id', detail: 'is the id of no approved user' }],
  });
}
