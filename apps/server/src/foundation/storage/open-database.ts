import type { Database } from './database.ts';
import { migrateToLatest } from './migrations/index.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Opens the database and brings its tables up to date. Two processes that start together migrate once. Throws
 * `Refusal` if the schema is not one that this program knows.
 */
export async function openDatabase(options: { databaseUrl: string | null; sqliteFile: string }): Promise<Database> {
  const database = options.databaseUrl ? await openPostgres(options.databaseUrl) : openSqlite(options.sqliteFile);
  try {
    await migrateToLatest(database.migrations);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
