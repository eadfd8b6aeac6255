import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase, type Database } from '../storage/index.ts';

/** A fresh database of its own, with all tables, for one test or one file of tests. */
export interface TestDatabase {
  readonly database: Database;
  /** Opens the same database once more, as a second process would. Close it before the first. */
  again(): Promise<Database>;
  /** Closes and removes it. */
  close(): Promise<void>;
}

export interface TestDatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  open(): Promise<TestDatabase>;
}

/**
 * The databases to run a test file on: SQLite always, PostgreSQL when KETHUB_TEST_POSTGRES_URL names a server on which
 * databases can be created. Use with `describe.each(databases)('… on $name', ({ open }) => …)`.
 */
export const databases: readonly TestDatabaseKind[] = [
  { name: 'SQLite', open: openSqlite },
  ...postgres(process.env['KETHUB_TEST_POSTGRES_URL']),
];

async function openSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-test-'));
  const options = { databaseUrl: null, sqliteFile: path.join(folder, 'kethub.db') };
  const database = await openDatabase(options);
  return {
    database,
    again: () => openDatabase(options),
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

function postgres(server: string | undefined): TestDatabaseKind[] {
  if (!server) return [];
  const open = async (): Promise<TestDatabase> => {
    const name = `kethub_test_${randomBytes(6).toString('hex')}`;
    await administer(server, `create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    const options = { databaseUrl: url.href, sqliteFile: '' };
    const database = await openDatabase(options);
    return {
      database,
      again: () => openDatabase(options),
      async close() {
        await database.close();
        // Without FORCE: a connection that a test leaves open makes this fail, and should.
        await administer(server, `drop database ${name}`);
      },
    };
  };
  return [{ name: 'PostgreSQL', open }];
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
