import { sql, type Kysely } from 'kysely';

/** Limits of personal access tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table access_tokens add column scope text`.execute(db);
}
