import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** Columns of a version that name the implementation, the branch or tag, and the commit that it was made of. */
const COLUMNS = ['source_implementation_id', 'source_ref', 'source_commit'];

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const column of COLUMNS)
      await sql.raw(`alter table service_versions add column ${column} text`).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
