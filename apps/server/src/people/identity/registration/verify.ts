import type { Platform } from '../../../foundation/platform.ts';
import { isDuplicate, type IdentityRow, type RegistrationRow } from '../../../foundation/storage/index.ts';
import type { Attempts } from '../base/attempts.ts';
import { isPassword } from '../base/passwords.ts';
import { isTaken } from './registration.ts';
import { consumeToken, deleteRegistration, deleteTokensOf, findRegistration } from './queries.ts';
import { mailToken, subjectOfToken } from './tokens.ts';

export type VerifyOutcome =
  | { readonly kind: 'VERIFIED'; readonly status: IdentityRow['status'] }
  /** The token is unknown, used or expired, or its registration was deleted. */
  | { readonly kind: 'EXPIRED' }
  | { readonly kind: 'CLOSED' }
  | { readonly kind: 'WRONG_PASSWORD' }
  | { readonly kind: 'TOO_MANY'; readonly retryAfter: number }
  /** Another person with this username has confirmed an address meanwhile. */
  | { readonly kind: 'USERNAME_TAKEN' }
  /** Another registration of this address was confirmed, and the account exists. */
  | { readonly kind: 'ADDRESS_TAKEN' };

/**
 * Confirms an address and creates the account. Requires the password of the registration, which proves that the same
 * person has registered and reads the mail. Otherwise a stranger could register somebody else's address with a
 * password of their own, and get the account when the owner follows the link.
 */
export async function verifyEmail(
  platform: Platform,
  attempts: Attempts,
  given: { readonly token: string; readonly password: string; readonly from: string | null },
): Promise<VerifyOutcome> {
  if (platform.configuration.registration === 'closed') return { kind: 'CLOSED' };
  const registration = await registrationOfToken(platform, given.token);
  if (!registration) return { kind: 'EXPIRED' };
  const check = async () => ((await isPassword(registration.password_hash, given.password)) ? registration.id : null);
  const attempt = await attempts.make(registration.id, given.from, check);
  if ('retryAfter' in attempt) return { kind: 'TOO_MANY', retryAfter: attempt.retryAfter };
  if (attempt.outcome === null) return { kind: 'WRONG_PASSWORD' };
  try {
    return await makeAccount(platform, given.token, registration);
  } catch (error) {
    // Another request has confirmed at the same time. The second try finds its rows.
    if (isDuplicate(error)) return makeAccount(platform, given.token, registration);
    throw error;
  }
}

/** The registration that a link confirms, without confirming it. */
export async function registrationOfToken(platform: Platform, token: string): Promise<RegistrationRow | undefined> {
  const subject = await subjectOfToken(platform, 'VERIFY_EMAIL', token);
  return subject === undefined ? undefined : findRegistration(platform.database.read, subject);
}

function makeAccount(platform: Platform, value: string, registration: RegistrationRow): Promise<VerifyOutcome> {
  const status = platform.configuration.registration === 'open' ? 'APPROVED' : 'PENDING';
  return platform.database.write(async (transaction) => {
    if (await isTaken(platform, transaction, registration.email)) return { kind: 'ADDRESS_TAKEN' };
    if (await isTaken(platform, transaction, registration.username)) return { kind: 'USERNAME_TAKEN' };
    const token = mailToken('VERIFY_EMAIL', value);
    const subject = token && (await consumeToken(transaction, token, platform.now()));
    if (subject !== registration.id) return { kind: 'EXPIRED' };
    await transaction
      .insertInto('identities')
      .values({ ...registration, email_verified: 1, status, enabled: 1 })
      .execute();
    await deleteRegistration(transaction, registration.id);
    await deleteTokensOf(transaction, registration.id);
    return { kind: 'VERIFIED', status };
  });
}
