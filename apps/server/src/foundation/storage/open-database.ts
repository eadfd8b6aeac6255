import path from 'node:path';
import type { Database } from './database.ts';
import { migrateToLatest } from './migrations/index.ts';
import { openPostgres } from './postgres.ts';
import { refusedConnection } from './refused-connection.ts';
import { openSqlite } from './sqlite.ts';

/** The file of SQLite in a data folder. */
export function sqliteFileIn(dataDir: string): string {
  return path.join(dataDir, 'kethub.db');
}

/**
 * Opens the database and brings its tables up to date. Two processes that start together migrate once. Throws
 * `Refusal` if the schema is not one that this program knows, and if the PostgreSQL cannot be reached or refuses us.
 */
export async function openDatabase(options: {
  readonly databaseUrl: string | null;
  readonly sqliteFile: string;
  /** Connections to PostgreSQL; default 16. */
  readonly connections?: number;
}): Promise<Database> {
  const { databaseUrl, connections } = options;
  const database = databaseUrl ? await reach(databaseUrl, connections) : openSqlite(options.sqliteFile);
  try {
    await migrateToLatest(database.migrations);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function reach(databaseUrl: string, connections: number | undefined): ReturnType<typeof openPostgres> {
  try {
    return await openPostgres(databaseUrl, connections);
  } catch (error) {
    throw refusedConnection(error, databaseUrl);
  }
}
