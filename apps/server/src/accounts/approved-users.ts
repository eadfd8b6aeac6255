import { Problem } from '../http/index.ts';
import { isApproved, type Identity, type IdentityProvider } from '../identity/index.ts';

/** An external identity provider is asked over HTTP, once for each. */
const AT_ONCE = 16;

/** The user of this id; null when unknown, disabled, unverified or not approved, which nobody can tell apart. */
export async function findApproved(identity: IdentityProvider, id: string): Promise<Identity | null> {
  // No database and no provider has an id with this character, and PostgreSQL would refuse to look.
  const user = id.includes('\0') ? null : await identity.find(id);
  return user && isApproved(user) ? user : null;
}

/** The same for many, in the order of the ids. */
export async function findAllApproved(
  identity: IdentityProvider,
  ids: readonly string[],
): Promise<(Identity | null)[]> {
  const found: (Identity | null)[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE).map((id) => findApproved(identity, id));
    found.push(...(await Promise.all(some)));
  }
  return found;
}

/** Throws not-found unless it is the id of an approved user. */
export async function requireApproved(identity: IdentityProvider, id: string): Promise<Identity> {
  const user = await findApproved(identity, id);
  if (!user) throw new Problem('not-found', 'There is no user of this id.');
  return user;
}
