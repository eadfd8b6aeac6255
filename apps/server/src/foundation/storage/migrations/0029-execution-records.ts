import { sql, type Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** What an execution leaves for who wants to run it again, and to trust it. */
const statements = [
  `alter table executions add column input_digest text`,
  `alter table executions add column input_bytes bigint`,
  `alter table executions add column record text`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
