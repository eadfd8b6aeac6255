import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** The schema of the first release: the statements of the file of SQL, without those for the other database. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const text = await readFile(path.join(import.meta.dirname, '0001-baseline.sql'), 'utf8');
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    const statements = statementsOf(text, isSqlite ? 'SQLite only' : 'PostgreSQL only');
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (isSqlite) await db.transaction().execute(run);
  else await run(db);
}

/** Splits at each semicolon that ends a line, unless the next line is indented or begins with `end`. */
function statementsOf(text: string, only: string): string[] {
  const [head = '', ...parts] = text.split(/^-- On (both databases|PostgreSQL only|SQLite only):\n/m);
  const own = parts.filter((_, i) => i % 2 === 1 && ['both databases', only].includes(parts[i - 1] ?? ''));
  return [head, ...own].flatMap((part) => part.trimEnd().split(/(?<=;)\n(?! |end\b)/));
}
