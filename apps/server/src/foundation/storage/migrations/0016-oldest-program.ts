import { sql, SqliteAdapter, type Kysely } from 'kysely';

const STATEMENTS = [
  `create table schema_compatibility (
    id text primary key check (id = 'this'),
    oldest text not null
  )`,
  `insert into schema_compatibility (id, oldest) values ('this', '0016-oldest-program')`,
];

/** The last migration that a program must know to run on this database, also when newer ones have been executed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
