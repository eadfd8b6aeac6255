import type { SignInRecords } from '../../audit/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Attempts } from '../base/attempts.ts';
import { signInName } from '../base/sign-in-name.ts';
import { passwordSeen } from '../base/password-changes.ts';
import { isBlocked } from '../identity-provider.ts';
import { isPassword } from '../base/passwords.ts';
import { findForSignIn, toIdentity } from '../base/queries.ts';
import { findNewestRegistration } from '../registration/queries.ts';

export type SignInOutcome =
  | { readonly kind: 'SIGNED_IN'; readonly subject: string }
  /** Wrong password, or unknown, rejected or disabled user. The caller cannot tell which. */
  | { readonly kind: 'REFUSED' }
  | { readonly kind: 'TOO_MANY'; readonly retryAfter: number };

/** Checks a name (username or email address) and a password. `address` is the client's; null if unknown. */
export type SignIn = (name: string, password: string, address: string | null) => Promise<SignInOutcome>;

export function createSignIn(platform: Platform, attempts: Attempts, records: SignInRecords): SignIn {
  return async (name, password, address) => {
    const account = signInName(name);
    const refused = (refusal: 'WRONG_PASSWORD' | 'SWITCHED_OFF'): void => records.refused(account, refusal, address);
    const attempt = await attempts.make(account, address, () => subjectOf(platform, account, password, refused));
    if ('retryAfter' in attempt) {
      records.refused(account, 'TOO_MANY', address);
      return { kind: 'TOO_MANY', retryAfter: attempt.retryAfter };
    }
    if (attempt.outcome !== null) await records.signedIn(attempt.outcome, address);
    // Counted as a wrong password: anybody can register under any name, which must not reset the owner's counters.
    const subject = attempt.outcome ?? (await unverified(platform, account, password));
    return subject === null ? { kind: 'REFUSED' } : { kind: 'SIGNED_IN', subject };
  };
}

/** The subject with this name and password, or null. Reports the reason of a refusal to `refused`. */
async function subjectOf(
  platform: Platform,
  account: string,
  password: string,
  refused: (refusal: 'WRONG_PASSWORD' | 'SWITCHED_OFF') => void,
): Promise<string | null> {
  // PostgreSQL would reject a text with U+0000.
  const row = account.includes('\0') ? null : await findForSignIn(platform.database.read, account);
  if (row) passwordSeen(row.id, row.password_hash);
  const right = await isPassword(row?.password_hash ?? null, password);
  const isOut = row !== undefined && row !== null && right && isBlocked(toIdentity(row));
  if (row && right && !isOut) return row.id;
  refused(isOut ? 'SWITCHED_OFF' : 'WRONG_PASSWORD');
  return null;
}

/** Finds the account that a name signs in to, for the records of sign-ins. */
export function accountOf(platform: Platform): (name: string) => Promise<string | null> {
  return async (name) =>
    name.includes('\0') ? null : ((await findForSignIn(platform.database.read, name))?.id ?? null);
}

/**
 * The registration with this name and an unconfirmed address. Its session shows the progress of the registration, and
 * gives no other access. Called after every refusal, it always checks one more password hash, so that the time of an
 * answer does not reveal whether an account exists.
 */
async function unverified(platform: Platform, name: string, password: string): Promise<string | null> {
  const row = name.includes('\0') ? undefined : await findNewestRegistration(platform.database.read, name);
  const right = await isPassword(row?.password_hash ?? null, password);
  return row && right ? row.id : null;
}
