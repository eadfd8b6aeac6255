import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from 'oidc-provider';
import { dialectOf, type Queries } from '../../../foundation/storage/index.ts';

/**
 * Which password, as its hash, each person had when the request that is being answered first read something of theirs. What
 * it writes afterwards is refused when a new password has been set meanwhile: that ends every session, also the one that is
 * just being opened.
 */
const passwords = new AsyncLocalStorage<Map<string, string | null>>();

/** Answers a request within which passwords are remembered. */
export function watchPasswords(next: () => void): void {
  passwords.run(new Map(), next);
}

/** To be called with what the same statement has read that the request relies on. */
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
