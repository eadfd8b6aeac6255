import type { Platform } from '../../platform.ts';
import type { Attempts } from './attempts.ts';
import { passwordSeen } from './in-flight.ts';
import { isShutOut } from '../identity-provider.ts';
import { isPassword } from './passwords.ts';
import { findForSignIn, toIdentity } from './queries.ts';
import { findNewestRegistration } from '../registration/queries.ts';

export type SignInOutcome =
  | { readonly kind: 'SIGNED_IN'; readonly subject: string }
  /** Wrong password, no such user, rejected, or switched off: the outside cannot tell which. */
  | { readonly kind: 'REFUSED' }
  | { readonly kind: 'TOO_MANY'; readonly retryAfter: number };

/** Checks a name (username or e-mail address) and a password given from `address`; null when that is not known. */
export type SignIn = (name: string, password: string, address: string | null) => Promise<SignInOutcome>;

export function createSignIn(platform: Platform, attempts: Attempts): SignIn {
  return async (name, password, address) => {
    const account = signInName(name);
    const attempt = await attempts.make(account, address, () => subjectOf(platform, account, password));
    if ('retryAfter' in attempt) return { kind: 'TOO_MANY', retryAfter: attempt.retryAfter };
    // Has counted as wrong: anybody can register under any name, and must not pass for its owner where guesses are counted.
    const subject = attempt.outcome ?? (await unverified(platform, account, password));
    return subject === null ? { kind: 'REFUSED' } : { kind: 'SIGNED_IN', subject };
  };
}

/** Who has this name and this password, or null. */
async function subjectOf(platform: Platform, account: string, password: string): Promise<string | null> {
  // PostgreSQL refuses U+0000 in a text instead of finding nobody.
  const row = account.includes('\0') ? null : await findForSignIn(platform.database.read, account);
  if (row) passwordSeen(row.id, row.password_hash);
  const right = await isPassword(row?.password_hash ?? null, password);
  return row && right && !isShutOut(toIdentity(row)) ? row.id : null;
}

/**
 * Who has registered under this name and not confirmed the address, for a session that tells how far the registration is
 * and opens nothing else. Asked whenever nobody could be signed in to an account, and always at the cost of one more
 * password: whether there is an account does not show.
 */
async function unverified(platform: Platform, name: string, password: string): Promise<string | null> {
  const row = name.includes('\0') ? undefined : await findNewestRegistration(platform.database.read, name);
  const right = await isPassword(row?.password_hash ?? null, password);
  return row && right ? row.id : null;
}

/** Usernames and e-mail addresses are kept and compared in lower case. */
export function signInName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
