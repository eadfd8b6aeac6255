import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** The execution of the workflow whose task started an execution. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    await sql`alter table executions add column workflow_id text`.execute(queries);
    await sql`create index executions_of_workflow on executions (workflow_id, id) where workflow_id is not null`.execute(
      queries,
    );
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
