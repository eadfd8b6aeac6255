import type { Queries } from './database.ts';

/** Forgets the answers that are kept to be repeated under an Idempotency-Key of this scope. */
export async function forgetAnswers(transaction: Queries, scope: string): Promise<void> {
  await transaction.deleteFrom('idempotency_keys').where('scope', '=', scope).execute();
}
