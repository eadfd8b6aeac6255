import { sql } from 'kysely';
import { Migrator, type Migration, type MigrationResultSet } from 'kysely/migration';
import { Refusal } from '../../config/index.ts';
import { dialectOf, type Queries } from '../dialect.ts';
import * as baseline from './0001-baseline.ts';
import * as implementations from './0002-implementations.ts';
import * as workflowIncidents from './0003-workflow-incidents.ts';
import * as buildQueues from './0004-build-queues.ts';
import * as origins from './0005-origins.ts';
import * as workflowOfExecution from './0006-workflow-of-execution.ts';
import * as serviceSources from './0007-service-sources.ts';
import * as tokenScopes from './0008-token-scopes.ts';
import * as imports from './0009-imports.ts';
import * as taskOfExecution from './0010-task-of-execution.ts';
import * as repositoryMembers from './0011-repository-members.ts';
import * as childIncidents from './0012-child-incidents.ts';
import * as dueSources from './0013-due-sources.ts';
import * as versionsOfImplementations from './0014-versions-of-implementations.ts';
import * as blobHold from './0015-blob-hold.ts';
import * as oldestProgram from './0016-oldest-program.ts';
import * as processes from './0017-processes.ts';
import * as publicImplementations from './0018-public-implementations.ts';
import * as listedExecutions from './0019-listed-executions.ts';
import * as problemsOfProcesses from './0020-problems-of-processes.ts';

const BASELINE = '0001-baseline';

/**
 * A migration expands the schema: programs that do not know it go on. One that removes what earlier programs use names
 * in `oldest` the last migration that a program must know to run beside it.
 */
export interface SchemaChange extends Migration {
  readonly oldest?: string;
}

/**
 * All migrations in order. A change of the schema is a new migration with the next number. A released migration is
 * never changed, and a migration imports nothing of the platform: its effect must not depend on later code.
 */
export const migrations: Readonly<Record<string, SchemaChange>> = {
  [BASELINE]: baseline,
  '0002-implementations': implementations,
  '0003-workflow-incidents': workflowIncidents,
  '0004-build-queues': buildQueues,
  '0005-origins': origins,
  '0006-workflow-of-execution': workflowOfExecution,
  '0007-service-sources': serviceSources,
  '0008-token-scopes': tokenScopes,
  '0009-imports': imports,
  '0010-task-of-execution': taskOfExecution,
  '0011-repository-members': repositoryMembers,
  '0012-child-incidents': childIncidents,
  '0013-due-sources': dueSources,
  '0014-versions-of-implementations': versionsOfImplementations,
  '0015-blob-hold': blobHold,
  '0016-oldest-program': oldestProgram,
  '0017-processes': processes,
  '0018-public-implementations': publicImplementations,
  '0019-listed-executions': listedExecutions,
  '0020-problems-of-processes': problemsOfProcesses,
};

/** The last migration that this program knows. */
export const newestMigration = Object.keys(migrations).at(-1) ?? '';

/** Returns the migrations that this program does not know: a newer version has made them. */
export function unknownMigrations(names: readonly string[]): string[] {
  return names.filter((name) => !(name in migrations));
}

/** True if a database with these migrations has exactly the tables of this program. */
export function isUpToDate(names: readonly string[]): boolean {
  return unknownMigrations(names).length === 0 && hasAll(names);
}

/** True if a database with these migrations has had all of this program. */
function hasAll(names: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => names.includes(name));
}

/** Brings the tables up to date. Throws `Refusal`, and changes nothing, if this program cannot migrate the database. */
export async function migrateToLatest(db: Queries): Promise<void> {
  const done = await executed(db);
  if (done.length > 0 && !done.includes(BASELINE))
    throw new Refusal(
      'The database was created by a version before the first release, and cannot be migrated. Start with an empty data folder (KETHUB_DATA_DIR) and, if DATABASE_URL is set, with an empty database; or start the version that created it.',
    );
  const unknown = unknownMigrations(done);
  if (unknown.length > 0) {
    if (await isExpanded(db, done)) return;
    throw new Refusal(
      `The database was migrated by a newer version (${unknown.join(', ')}), and this version cannot use it. Start that version or a newer one, or restore the backup from before the update.`,
    );
  }
  await migrate(db, migrations);
}

/** Executes those of these migrations that the database has not had, and records the oldest program that fits. */
export async function migrate(db: Queries, all: Readonly<Record<string, SchemaChange>>): Promise<void> {
  const { error } = await (dialectOf(db) === 'sqlite' ? executeTogether(db, all) : execute(db, all));
  if (error) throw new Error('The database could not be brought up to date', { cause: error });
  // Recorded at each start, because a process may have been killed between a migration and this line.
  const oldest = Object.values(all).reduce((most, one) => (one.oldest && one.oldest > most ? one.oldest : most), '');
  if (oldest !== '') await sql`update schema_compatibility set oldest = ${oldest} where oldest < ${oldest}`.execute(db);
}

function execute(db: Queries, all: Readonly<Record<string, SchemaChange>>): Promise<MigrationResultSet> {
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...all }) } }).migrateToLatest();
}

/** Executes all and records them in one transaction, which Kysely does on PostgreSQL only. */
async function executeTogether(db: Queries, all: Readonly<Record<string, SchemaChange>>): Promise<MigrationResultSet> {
  const together = Object.fromEntries(Object.entries(all).map(([name, one]) => [name, joined(one)]));
  await sql`begin immediate`.execute(db);
  const result = await execute(db, together);
  // After some errors, such as a full disk, SQLite has rolled back already, and refuses to.
  if (result.error) await sql`rollback`.execute(db).catch(() => undefined);
  else await sql`commit`.execute(db);
  return result;
}

/** The migration without the transaction that it begins on SQLite: it joins the one of all migrations. */
function joined({ up }: SchemaChange): SchemaChange {
  return {
    up: (db) =>
      up(
        new Proxy(db, {
          get(target, name) {
            if (name === 'transaction') return () => ({ execute: (run: typeof up) => run(target) });
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
      ),
  };
}

/** True if a newer version has migrated the database in a way that this program tolerates. */
async function isExpanded(db: Queries, done: readonly string[]): Promise<boolean> {
  if (!hasAll(done)) return false;
  const { rows } = await sql<{ oldest: string }>`select oldest from schema_compatibility`.execute(db);
  const [row] = rows;
  return row !== undefined && row.oldest <= newestMigration;
}

/** The names of the migrations that the database has had, in order. */
async function executed(db: Queries): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
