import { Problem } from '../../foundation/http/index.ts';
import type { Identity, IdentityProvider } from '../identity/index.ts';

/** The user of this id; null when unknown, disabled, unverified or not approved, which nobody can tell apart. */
export async function findApproved(identity: IdentityProvider, id: string): Promise<Identity | null> {
  const [user] = await identity.findApproved([id]);
  return user ?? null;
}

/** Throws not-found unless it is the id of an approved user. */
export async function requireApproved(identity: IdentityProvider, id: string): Promise<Identity> {
  const user = await findApproved(identity, id);
  if (!user) throw new Problem('not-found', 'There is no user of this id.');
  return user;
}
