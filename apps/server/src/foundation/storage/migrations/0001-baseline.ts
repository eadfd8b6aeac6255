import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, SqliteAdapter, type Kysely } from 'kysely';

const FOLDER = path.join(import.meta.dirname, '0001-baseline');

/** The schema of the first release: the statements of one file of SQL for each database. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const text = await readFile(path.join(FOLDER, isSqlite ? 'sqlite.sql' : 'postgres.sql'), 'utf8');
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of statementsOf(text)) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (isSqlite) await db.transaction().execute(run);
  else await run(db);
}

/** Splits at each semicolon that ends a line, unless the next line is indented or begins with `end`. */
function statementsOf(text: string): string[] {
  return text.trimEnd().split(/(?<=;)\n(?! |end\b)/);
}
