import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isDuplicate, type IdentityRow } from '../../../foundation/storage/index.ts';
import type { Identity, NewUser } from '../identity-provider.ts';
import { hashPassword } from '../base/passwords.ts';
import { findForSignIn, insertIdentity, toIdentity } from '../base/queries.ts';
import { signInName } from '../base/sign-in-name.ts';

/**
 * Adds a person with a verified address to the embedded provider. Throws `conflict` if username or address are taken.
 */
export async function createUser(platform: Platform, user: NewUser): Promise<Identity> {
  const row: IdentityRow = {
    id: platform.newId(),
    username: signInName(user.username),
    email: signInName(user.email),
    email_verified: 1,
    firstname: user.firstname,
    lastname: user.lastname,
    password_hash: await hashPassword(user.password),
    status: user.status,
    enabled: 1,
    created_at: platform.now(),
  };
  // A username may not be another person's address: it would sign in to that person's account.
  for (const name of [row.username, row.email]) {
    if (await findForSignIn(platform.database.read, name)) throw taken();
  }
  try {
    await insertIdentity(platform.database, row);
  } catch (error) {
    if (isDuplicate(error)) throw taken();
    throw error;
  }
  return toIdentity(row);
}

function taken(): Problem {
  return new Problem('conflict', 'A user with this username or e-mail address exists already.');
}
