import { sql, type Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

/** The run time that an execution was promised, in seconds, so that it is known who holds a machine for long. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await sql`alter table executions add column run_seconds bigint`.execute(db);
}
