import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { isApproved, type IdentityProvider } from '../identity/index.ts';
import { lockOwnerShared } from './lock-owner.ts';

/** A person or an organization to whom a resource is given. */
interface NewMember {
  readonly type: OwnerType;
  readonly id: string;
}

/** Requires that a person who becomes a member is approved. Throws not-found. */
export async function requireNewMember(identity: IdentityProvider, member: NewMember): Promise<void> {
  if (member.type !== 'USER') return;
  const found = await identity.find(member.id);
  if (!found || !isApproved(found)) throw noMember(member);
}

/** Locks a new member, so that it is not deleted before the transaction ends. Throws not-found. */
export async function lockNewMember(platform: Platform, transaction: Queries, member: NewMember): Promise<void> {
  try {
    await lockOwnerShared(platform, transaction, member);
  } catch (error) {
    throw error instanceof Problem ? noMember(member) : error;
  }
}

function noMember({ type, id }: NewMember): Problem {
  const what = type === 'USER' ? 'approved user' : 'organization';
  return new Problem('not-found', `There is no ${what} ${id} that could become a member.`);
}
