import { sql } from 'kysely';
import type { Database, Queries, SignInFailureRow } from '../../../foundation/storage/index.ts';

/** The counters of these keys that have not expired. */
export async function findFailures(
  queries: Queries,
  keys: readonly string[],
  now: number,
  window: number,
): Promise<ReadonlyMap<string, SignInFailureRow>> {
  const rows = await queries
    .selectFrom('sign_in_failures')
    .selectAll()
    .where('key', 'in', keys)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', farEnd(now, window))
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** A counter that ends later than this was begun by a clock that has since been set back: it counts no more. */
function farEnd(now: number, window: number): number {
  return now + 2 * window;
}

/** Adds one to the counter of each key. A counter starts with its first failure, and starts again after its window. */
export async function recordFailure(
  database: Database,
  keys: readonly string[],
  now: number,
  window: number,
): Promise<void> {
  const isOver = sql`(sign_in_failures.expires_at <= ${now} or sign_in_failures.expires_at > ${farEnd(now, window)})`;
  await database.write((transaction) =>
    transaction
      .insertInto('sign_in_failures')
      .values(keys.map((key) => ({ key, failures: 1, expires_at: now + window })))
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          failures: sql`case when ${isOver} then 1 else sign_in_failures.failures + 1 end`,
          expires_at: sql`case when ${isOver} then excluded.expires_at else sign_in_failures.expires_at end`,
        }),
      )
      .execute(),
  );
}

export async function isFamiliar(queries: Queries, key: string, now: number): Promise<boolean> {
  const row = await queries
    .selectFrom('sign_in_networks')
    .select('key')
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records a network from which an account has signed in. Writes at most once a day for each key. */
export async function recordFamiliar(database: Database, key: string, now: number, lifetime: number): Promise<void> {
  const expires_at = now + lifetime;
  if (await isFamiliar(database.read, key, expires_at - 24 * 60 * 60 * 1000)) return;
  await database.write((transaction) =>
    transaction
      .insertInto('sign_in_networks')
      .values({ key, expires_at })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ expires_at }))
      .execute(),
  );
}

export async function purgeAttempts(database: Database, now: number): Promise<void> {
  for (const table of ['sign_in_failures', 'sign_in_networks'] as const) {
    await database.write((transaction) => transaction.deleteFrom(table).where('expires_at', '<=', now).execute());
  }
}
