import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** The time at which a rule for pushes is applied next; null while nothing has changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of [
      'alter table service_sources add column due_at bigint default 0',
      'create index service_sources_due on service_sources (due_at) where due_at is not null',
      'create index service_sources_of_implementation on service_sources (implementation_id)',
    ])
      await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
