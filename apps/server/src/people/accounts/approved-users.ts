import { Problem } from '../../foundation/http/index.ts';
import type { Identity, IdentityProvider } from '../identity/index.ts';

/** The approved user of this id, or null. Callers cannot tell an unknown user from one who is not approved. */
export async function findApproved(identity: IdentityProvider, id: string): Promise<Identity | null> {
  const [user] = await identity.findApproved([id]);
  return user ?? null;
}

/** The approved user of this id. Throws not-found. */
export async function requireApproved(identity: IdentityProvider, id: string): Promise<Identity> {
  const user = await findApproved(identity, id);
  if (!user) throw new Problem('not-found', 'There is no user of this id.');
  return user;
}
