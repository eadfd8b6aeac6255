import type { Migration, MigrationProvider } from 'kysely/migration';
import * as mainPath from './0001-main-path.ts';

/** All migrations in order. A migration that has been released is never changed. */
const migrations: Record<string, Migration> = {
  '0001-main-path': mainPath,
};

export const migrationProvider: MigrationProvider = { getMigrations: () => Promise.resolve(migrations) };
