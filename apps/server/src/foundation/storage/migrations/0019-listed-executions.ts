import { sql, SqliteAdapter, type Kysely } from 'kysely';

/**
 * Indexes for the filters of lists: each leads to the rows of a page, however few of many millions match. A large
 * installation makes them before its update, without blocking anybody (docs/scale.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const index of [
      `executions_of_owner_by_status on executions (owner_id, status, id) where status <> 'SUCCEEDED'`,
      `executions_of_service_by_status on executions (service_id, status, id) where status <> 'SUCCEEDED'`,
      'executions_of_person on executions (owner_id, person_id, id) where person_id is not null',
      'executions_of_application on executions (owner_id, application_id, id) where application_id is not null',
      'executions_of_version on executions (service_version_id, id)',
    ])
      await sql.raw(`create index if not exists ${index}`).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
