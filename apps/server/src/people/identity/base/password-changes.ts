import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from 'oidc-provider';
import { dialectOf, type Queries } from '../../../foundation/storage/index.ts';

/**
 * Password hashes that the current request has seen, by person. A later write of the same request is refused if the
 * password has changed since. A new password ends every session, also one that is being opened. oidc-provider passes no
 * request to its adapter, so this cannot be a parameter.
 */
const passwords = new AsyncLocalStorage<Map<string, string | null>>();

/** Runs the rest of a request and records the password hashes that it sees. */
export function watchPasswords(next: () => void): void {
  passwords.run(new Map(), next);
}

/** Records a password hash, which must be read in the same statement as the record. */
export function passwordSeen(subject: string, passwordHash: string | null): void {
  const seen = passwords.getStore();
  if (seen && !seen.has(subject)) seen.set(subject, passwordHash);
}

/**
 * Throws InvalidGrant if the password has changed since it was seen. Locks it until the transaction ends. A later
 * change of the password then finds and deletes the records that the transaction has written.
 */
export async function requireSamePassword(transaction: Queries, subject: string): Promise<void> {
  const seen = passwords.getStore()?.get(subject);
  if (seen === undefined) return;
  const query = transaction.selectFrom('identities').select('password_hash').where('id', '=', subject);
  const row = await (dialectOf(transaction) === 'postgres' ? query.forShare() : query).executeTakeFirst();
  if ((row?.password_hash ?? null) !== seen) throw new errors.InvalidGrant('the password was changed meanwhile');
}
