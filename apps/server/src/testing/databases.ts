import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDatabase, type Database } from '../foundation/storage/index.ts';
import { thorough } from './amounts.ts';

/** Files that run on both databases, by the beginning of their path. */
export const ON_BOTH = [
  'test/durability',
  'test/standstill',
  'apps/server/src/backup/',
  'apps/server/src/foundation/storage/',
  'apps/server/src/foundation/mail/',
  'apps/server/src/foundation/workers/',
  'apps/server/src/people/accounts/deletion-kill',
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
  'apps/server/src/catalog/limits/',
  'apps/server/src/catalog/marketplace/marketplace',
  'apps/server/src/catalog/metering/',
  'apps/server/src/catalog/quotas/',
  'apps/server/src/catalog/services/builds/queue',
  'apps/server/src/running/executions/finish',
  'apps/server/src/running/executions/lost-answer',
  'apps/server/src/running/executions/retention',
  'apps/server/src/running/executions/schedul',
  'apps/server/src/running/events/',
  'apps/server/src/running/platform-status/',
  'apps/server/src/running/workflows/advance/',
  'apps/server/src/running/workflows/calls-on-the-way',
  'apps/server/src/running/workflows/exact-numbers',
  'apps/server/src/running/workflows/find-work',
  'apps/server/src/running/workflows/first-step',
  'apps/server/src/running/workflows/message-receipts',
  'apps/server/src/running/workflows/round-robin',
];

/**
 * Long ones of these files. A run has each on one of the two databases, chosen by its seed; `KETHUB_TEST_THOROUGH=1` on
 * both. The next run has the other database half of the time.
 */
export const ON_EITHER = [
  'apps/server/src/people/authorization/matrix',
  'apps/server/src/people/accounts/deletion.test',
  'apps/server/src/catalog/datapools/written',
  'apps/server/src/running/workflows/large-instance',
  'apps/server/src/running/workflows/signals',
  'apps/server/src/running/workflows/thrown-messages',
  'apps/server/src/running/workflows/workflow-service',
];

/**
 * Variables with the templates: the file of SQLite and the name of the database of PostgreSQL. Without them, whoever opens
 * a copy makes its tables.
 */
const SQLITE_TEMPLATE = 'TEST_SQLITE_TEMPLATE';
const POSTGRES_TEMPLATE = 'TEST_POSTGRES_TEMPLATE';

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

/** A database that another program opens, such as a whole platform. */
interface CreatedDatabase {
  /** Value of DATABASE_URL; null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Removes the database. Close all connections before. */
  drop(): Promise<void>;
}

export interface TestDatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Creates an empty database. */
  create(): Promise<CreatedDatabase>;
  /** Creates a database with all tables: a copy of the template of the test run. @param sqliteFile where SQLite has it. */
  copy(sqliteFile: string): Promise<CreatedDatabase>;
  open(): Promise<TestDatabase>;
}

/** SQLite, which is there on every machine. */
export const sqlite: TestDatabaseKind = {
  name: 'SQLite',
  create: createSqlite,
  copy: copySqlite,
  open: () => openFresh(copySqlite),
};

/** PostgreSQL, if KETHUB_TEST_POSTGRES_URL names a server on which databases can be created; else none. */
export const postgreSql: readonly TestDatabaseKind[] = postgresOn(process.env['KETHUB_TEST_POSTGRES_URL']);

/**
 * Returns the databases on which the running test file runs.
 * Use with `describe.each(databases())('… on $name', ({ open }) => …)`.
 *
 * Rule: a file runs on both databases if its room has SQL for each dialect. So does one that is about transactions,
 * locks, several processes or a kill. The longest of them run on one of the two by chance, as does the matrix. Every other
 * file runs on one database, chosen by a hash of its name, so that each database sees about half of them.
 */
export function databases(): readonly TestDatabaseKind[] {
  const file = process.env['TEST_FILE'] ?? '';
  const every = [sqlite, ...postgreSql];
  const isIn = (starts: readonly string[]): boolean => starts.some((start) => file.startsWith(start));
  const byChance = isIn(ON_EITHER);
  if (file === '' || isIn(ON_BOTH) || (byChance && thorough)) return every;
  const chance = byChance ? (process.env['KETHUB_TEST_SEED'] ?? '') : '';
  const hash = createHash('sha256')
    .update(file + chance)
    .digest()
    .readUInt32BE();
  return [every[hash % every.length] ?? sqlite];
}

async function createSqlite(): Promise<CreatedDatabase> {
  return Promise.resolve({ databaseUrl: null, drop: () => Promise.resolve() });
}

async function copySqlite(file: string): Promise<CreatedDatabase> {
  const template = process.env[SQLITE_TEMPLATE];
  if (template) await copyFile(template, file);
  return createSqlite();
}

async function openFresh(copy: TestDatabaseKind['copy']): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-test-'));
  const sqliteFile = path.join(folder, 'kethub.db');
  const { databaseUrl, drop } = await copy(sqliteFile);
  const options = { databaseUrl, sqliteFile };
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
  const createFrom = async (template = 'template1'): Promise<CreatedDatabase> => {
    const name = `kethub_test_${randomBytes(6).toString('hex')}`;
    await administer(server, `create database ${name} template ${template}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    // Without FORCE, so that a connection that a test leaves open makes this fail.
    return { databaseUrl: url.href, drop: () => administer(server, `drop database ${name}`) };
  };
  const copy = () => createFrom(process.env[POSTGRES_TEMPLATE]);
  return [{ name: 'PostgreSQL', create: () => createFrom(), copy, open: () => openFresh(copy) }];
}

/** Makes the templates before a test run: a copy takes a fifth of the time that all migrations take. */
export default async function makeTemplates(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-template-'));
  const sqliteFile = path.join(folder, 'kethub.db');
  await (await openDatabase({ databaseUrl: null, sqliteFile })).close();
  process.env[SQLITE_TEMPLATE] = sqliteFile;
  const [postgres] = postgreSql;
  const made = await postgres?.create();
  if (made?.databaseUrl) {
    await (await openDatabase({ databaseUrl: made.databaseUrl, sqliteFile })).close();
    process.env[POSTGRES_TEMPLATE] = new URL(made.databaseUrl).pathname.slice(1);
  }
  return async () => {
    await rm(folder, { recursive: true });
    await made?.drop();
  };
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
