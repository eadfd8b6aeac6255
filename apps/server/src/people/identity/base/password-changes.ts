import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from 'oidc-provider';
import { dialectOf, type Queries } from '../../../foundation/storage/index.ts';

/**
 * The password hash of each person when the current request first read a record of theirs. A later write of the same
 * request is refused when the password has changed since: a new password ends every session, also one that is just being
 * opened. oidc-provider gives its adapter no context of the request, so that no parameter could carry this.
 */
const passwords = new AsyncLocalStorage<Map<string, string | null>>();

/** Answers a request and remembers the passwords that it has seen. */
export function watchPasswords(next: () => void): void {
  passwords.run(new Map(), next);
}

/** Call it with the password hash that was read in the same statement as the record. */
export function passwordSeen(subject: string, passwordHash: string | null): void {
  const seen = passwords.getStore();
  if (seen && !seen.has(subject)) seen.set(subject, passwordHash);
}

/**
 * Throws InvalidGrant when this person has another password by now. Until the transaction ends nobody sets a new one: that
 * then finds, and deletes, what the transaction has written.
 */
export async function requireSamePassword(transaction: Queries, subject: string): Promise<void> {
  const seen = passwords.getStore()?.get(subject);
  if (seen === undefined) return;
  const query = transaction.selectFrom('identities').select('password_hash').where('id', '=', subject);
  const row = await (dialectOf(transaction) === 'postgres' ? query.forShare() : query).executeTakeFirst();
  if ((row?.password_hash ?? null) !== seen) throw new errors.InvalidGrant('the password was changed meanwhile');
}
