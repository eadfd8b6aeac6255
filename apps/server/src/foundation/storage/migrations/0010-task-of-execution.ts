import { sql, type Kysely } from 'kysely';

/** The element of the workflow, and the instance, whose task started an execution. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column workflow_task text`.execute(db);
}
