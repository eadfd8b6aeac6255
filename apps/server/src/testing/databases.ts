import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase, type Database } from '../foundation/storage/index.ts';

/** Files that run on both databases, by the beginning of their path. */
export const ON_BOTH = [
  'test/durability',
  'test/standstill',
  'apps/server/src/backup/',
  'apps/server/src/foundation/storage/',
  'apps/server/src/foundation/mail/',
  'apps/server/src/foundation/workers/',
  'apps/server/src/people/authorization/matrix',
  'apps/server/src/people/accounts/deletion',
  'apps/server/src/people/accounts/search',
  'apps/server/src/people/accounts/two-processes',
  'apps/server/src/people/accounts/users',
  'apps/server/src/people/identity/embedded/keys',
  'apps/server/src/people/identity/embedded/token-endpoint',
  'apps/server/src/people/search/',
  'apps/server/src/people/identity/base/',
  'apps/server/src/people/organizations/organizations',
  'apps/server/src/catalog/access/',
  'apps/server/src/catalog/implementations/automation/follower',
  'apps/server/src/catalog/implementations/public-search',
  'apps/server/src/catalog/datapools/limits',
  'apps/server/src/catalog/datapools/written',
  'apps/server/src/catalog/limits/',
  'apps/server/src/catalog/marketplace/marketplace',
  'apps/server/src/catalog/metering/',
  'apps/server/src/catalog/quotas/',
  'apps/server/src/catalog/services/builds/queue',
  'apps/server/src/catalog/services/versions',
  'apps/server/src/catalog/sharing/sharing',
  'apps/server/src/running/executions/ending',
  'apps/server/src/running/executions/finish',
  'apps/server/src/running/executions/lost-answer',
  'apps/server/src/running/executions/retention',
  'apps/server/src/running/executions/schedul',
  'apps/server/src/running/events/',
  'apps/server/src/running/jobs/',
  'apps/server/src/running/platform-status/',
  'apps/server/src/running/workflows/advance/',
  'apps/server/src/running/workflows/calls-on-the-way',
  'apps/server/src/running/workflows/exact-',
  'apps/server/src/running/workflows/first-step',
  'apps/server/src/running/workflows/large-instance',
  'apps/server/src/running/workflows/message-receipts',
  'apps/server/src/running/workflows/operators/',
  'apps/server/src/running/workflows/retries-end',
  'apps/server/src/running/workflows/round-robin',
  'apps/server/src/running/workflows/signals',
  'apps/server/src/running/workflows/thrown-messages',
  'apps/server/src/running/workflows/workflow-service',
];

/** A fresh database of its own, with all tables, for one test or one file of tests. */
export interface TestDatabase {
  readonly database: Database;
  /** The address of the database, for another process. */
  readonly address: { readonly databaseUrl: string | null; readonly sqliteFile: string };
  /** Opens the same database once more, as a second process would. Close it before the first. */
  again(): Promise<Database>;
  /** Closes and removes it. */
  close(): Promise<void>;
}

/** An empty database that another program opens, such as a whole platform. */
interface EmptyDatabase {
  /** Value of DATABASE_URL; null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Removes the database. Close all connections before. */
  drop(): Promise<void>;
}

export interface TestDatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  create(): Promise<EmptyDatabase>;
  open(): Promise<TestDatabase>;
}

/** SQLite, which is there on every machine. */
export const sqlite: TestDatabaseKind = { name: 'SQLite', create: createSqlite, open: () => openFresh(createSqlite) };

/** PostgreSQL, if KETHUB_TEST_POSTGRES_URL names a server on which databases can be created; else none. */
export const postgreSql: readonly TestDatabaseKind[] = postgresOn(process.env['KETHUB_TEST_POSTGRES_URL']);

/**
 * The databases on which the running test file runs.
 * Use with `describe.each(databases)('… on $name', ({ open }) => …)`.
 *
 * Rule: a file runs on both databases if its room has SQL for each dialect. So does one that is about transactions,
 * locks, several processes or a kill. The matrix runs on both as well: it calls every operation. Every other file runs
 * on one database, chosen by a hash of its name, so that each database sees about half of them.
 */
export const databases: readonly TestDatabaseKind[] = databasesOf(process.env['TEST_FILE'] ?? '');

function databasesOf(file: string): readonly TestDatabaseKind[] {
  const every = [sqlite, ...postgreSql];
  if (file === '' || ON_BOTH.some((start) => file.startsWith(start))) return every;
  const hash = createHash('sha256').update(file).digest().readUInt32BE();
  return [every[hash % every.length] ?? sqlite];
}

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
    address: options,
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
    // Without FORCE, so that a connection that a test leaves open makes this fail.
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
