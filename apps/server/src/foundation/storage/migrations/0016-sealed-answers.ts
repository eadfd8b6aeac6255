import { sql, type Kysely } from 'kysely';

/** Kept answers are sealed from now on; the ones from before, a day's worth, are forgotten. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from idempotency_keys`.execute(db);
}
