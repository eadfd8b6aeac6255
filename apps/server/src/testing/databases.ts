import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase, type Database } from '../foundation/storage/index.ts';

/** A fresh database of its own, with all tables, for one test or one file of tests. */
export interface TestDatabase {
  readonly database: Database;
  /** Where it is, for another process. */
  readonly place: { readonly databaseUrl: string | null; readonly sqliteFile: string };
  /** Opens the same database once more, as a second process would. Close it before the first. */
  again(): Promise<Database>;
  /** Closes and removes it. */
  close(): Promise<void>;
}

/** An empty database that somebody else opens, such as a whole platform. */
export interface EmptyDatabase {
  /** For DATABASE_URL; null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Removes it; every connection must be closed by then. */
  drop(): Promise<void>;
}

export interface TestDatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  create(): Promise<EmptyDatabase>;
  open(): Promise<TestDatabase>;
}

/**
 * The databases to run a test file on: SQLite always, PostgreSQL when KETHUB_TEST_POSTGRES_URL names a server on which
 * databases can be created. Use with `describe.each(databases)('… on $name', ({ open }) => …)`.
 */
export const databases: readonly TestDatabaseKind[] = [
  { name: 'SQLite', create: createSqlite, open: () => openFresh(createSqlite) },
  ...postgresOn(process.env['KETHUB_TEST_POSTGRES_URL']),
];

async function createSqlite(): Promise<EmptyDatabase> {
  return Promise.resolve({ databaseUrl: null, drop: () => Promise.resolve() });
}

async function openFresh(create: () => Promise<EmptyDatabase>): Promise<TestDatabase> {
  const { databaseUrl, drop } = await create();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-test-'));
  const options = { databaseUrl, sqliteFile: path.join(folder, 'kethub.db') };
  const database = await openDatabase(options);
  return {
    database,
    place: options,
    again: () => openDatabase(options),
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
      await drop();
    },
  };
}

/** PostgreSQL at an address on which databases can be created; none without one. */
export function postgresOn(server: string | undefined): TestDatabaseKind[] {
  if (!server) return [];
  const create = async (): Promise<EmptyDatabase> => {
    const name = `kethub_test_${randomBytes(6).toString('hex')}`;
    await administer(server, `create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    // Without FORCE: a connection that a test leaves open makes this fail, and should.
    return { databaseUrl: url.href, drop: () => administer(server, `drop database ${name}`) };
  };
  return [{ name: 'PostgreSQL', create, open: () => openFresh(create) }];
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
