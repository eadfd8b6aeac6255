import type { TransferRequest } from '@kethub/contract';
import { isAllowed, type Operation } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { lockOwnerShared } from './lock-owner.ts';
import { roleIn } from './memberships.ts';

/**
 * Checks and locks the new owner of a resource: the caller, or an organization in which the caller may create such a
 * resource. So nobody gets a resource without consent. Throws `not-permitted`.
 */
export async function requireNewOwner(
  platform: Platform,
  transaction: Queries,
  { personId }: Context,
  { type, id }: TransferRequest,
  creation: Operation,
): Promise<{ owner_type: TransferRequest['type']; owner_id: string }> {
  const owner = { owner_type: type, owner_id: id };
  const own = type === 'USER' && id === personId;
  const role = type === 'ORGANIZATION' ? await roleIn(transaction, id, personId) : null;
  if (!own && !(role && isAllowed(role, creation))) {
    throw new Problem(
      'not-permitted',
      'The new owner must be yourself, or an organization that you have joined as MAINTAINER or OWNER.',
      { errors: [{ pointer: '/id', detail: 'is not a possible new owner' }] },
    );
  }
  await lockOwnerShared(platform, transaction, { type, id });
  return owner;
}
