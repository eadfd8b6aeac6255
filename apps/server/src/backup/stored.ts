import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import { Client } from 'pg';
import { Refusal, type Configuration } from '../foundation/config/index.ts';
import { sqliteFileIn, syncEntry } from '../foundation/storage/index.ts';
import type { Vacuum } from './vacuum-thread.ts';

const run = promisify(execFile);

/** The database of an installation, seen from beside a running platform. It is never migrated here. */
export interface StoredDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** True when nothing is in it. */
  isEmpty(): Promise<boolean>;
  migrations(): Promise<string[]>;
  sealedCheck(): Promise<string>;
  /** Ids of some implementations that have a repository, those pushed to last. */
  pushed(): Promise<string[]>;
  /** Lets no process remove blobs until then, or longer if that is so already. */
  holdBlobs(until: number): Promise<void>;
  /** Writes the database as it is at one moment. */
  dumpTo(file: string): Promise<void>;
  /** Fills the empty database, whole or not at all. */
  fillFrom(file: string): Promise<void>;
}

export function storedDatabase({ databaseUrl, dataDir }: Configuration): StoredDatabase {
  return databaseUrl === null ? sqliteIn(sqliteFileIn(dataDir)) : postgresAt(databaseUrl);
}

const MIGRATIONS = 'select name from kysely_migration order by name';
const CHECK = 'select sealed_check from installation';
const PUSHED = 'select id from implementations where pushed_at is not null order by pushed_at desc limit 100';

/** Milliseconds for which the lock of a busy platform is waited for. */
const BUSY_MS = 60_000;

function sqliteIn(file: string): StoredDatabase {
  const using = <T>(work: (database: SQLite.Database) => T, readonly = true): T => {
    const database = new SQLite(file, { readonly, fileMustExist: true, timeout: BUSY_MS });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    kind: 'sqlite',
    // A log without its database would be replayed onto the next one.
    isEmpty: async () => !['', '-wal', '-shm', '-journal'].some((end) => existsSync(file + end)),
    migrations: async () =>
      using((database) => (database.prepare(MIGRATIONS).all() as { name: string }[]).map(({ name }) => name)),
    sealedCheck: async () =>
      using((database) => (database.prepare(CHECK).get() as { sealed_check: string }).sealed_check),
    pushed: async () => using((database) => (database.prepare(PUSHED).all() as { id: string }[]).map(({ id }) => id)),
    async holdBlobs(until) {
      const extend = 'update installation set blobs_held_until = max(blobs_held_until, ?)';
      using((database) => database.prepare(extend).run(until), false);
    },
    async dumpTo(target) {
      const workerData: Vacuum = { file, target, timeout: BUSY_MS };
      await once(new Worker(new URL('./vacuum-thread.ts', import.meta.url), { workerData }), 'exit');
    },
    async fillFrom(source) {
      const draft = `${file}.restored`;
      try {
        await copyFile(source, draft);
        await syncEntry(draft);
        await rename(draft, file);
        await syncEntry(path.dirname(file));
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

function postgresAt(databaseUrl: string): StoredDatabase {
  const ask = async <Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  };
  // Other users of the machine see the arguments of a program, but not its environment.
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const program = async (name: string, args: readonly string[]): Promise<void> => {
    const env = { ...process.env, ...(password !== '' && { PGPASSWORD: password }) };
    await run(name, [...args, `--dbname=${url.href}`], { env, maxBuffer: 1024 * 1024 }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw new Refusal(
          `There is no ${name}. Install the client programs of PostgreSQL, in the version of the server.`,
        );
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
      throw new Refusal(`${name} failed: ${said.slice(-2_000)}`);
    });
  };
  return {
    kind: 'postgres',
    isEmpty: async () =>
      (
        await ask(`select 1 from pg_class join pg_namespace as space on space.oid = relnamespace
        where space.nspname = current_schema() and relkind in ('r', 'p', 'v', 'S') limit 1`)
      ).length === 0,
    migrations: async () => (await ask<{ name: string }>(MIGRATIONS)).map(({ name }) => name),
    sealedCheck: async () => (await ask<{ sealed_check: string }>(CHECK))[0]?.sealed_check ?? '',
    pushed: async () => (await ask<{ id: string }>(PUSHED)).map(({ id }) => id),
    async holdBlobs(until) {
      await ask('update installation set blobs_held_until = greatest(blobs_held_until, $1::bigint)', [until]);
    },
    dumpTo: (file) => program('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${file}`]),
    fillFrom: (file) =>
      program('pg_restore', ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', file]),
  };
}
