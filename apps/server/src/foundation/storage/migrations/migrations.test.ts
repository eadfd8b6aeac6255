import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { Refusal } from '../../config/index.ts';
import { openDatabase } from '../open-database.ts';
import { openPostgres } from '../postgres.ts';
import { openSqlite } from '../sqlite.ts';
import { migrate, migrations, type SchemaChange } from './index.ts';

describe.each(databases())('migrations on $name', ({ create }) => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let step = cleanUp.pop(); step; step = cleanUp.pop()) await step();
  });

  /** Creates an empty database. Returns its address, and a way to run statements on it without migrating it. */
  async function empty() {
    const { databaseUrl, drop } = await create();
    cleanUp.push(drop);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-migrations-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    const options = { databaseUrl, sqliteFile: path.join(folder, 'kethub.db') };
    const execute = async (...statements: string[]): Promise<unknown[]> => {
      const database = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(options.sqliteFile);
      try {
        let rows: unknown[] = [];
        for (const statement of statements) ({ rows } = await sql.raw(statement).execute(database.migrations));
        return rows;
      } finally {
        await database.close();
      }
    };
    return { options, execute };
  }

  test('every migration of the folder is executed once, the baseline first', async () => {
    const { options, execute } = await empty();
    for (let start = 0; start < 2; start++) await (await openDatabase(options)).close();
    const files = (await readdir(import.meta.dirname)).filter((file) => /^\d{4}-.*\.ts$/.test(file)).toSorted();
    const names = files.map((file) => ({ name: path.basename(file, '.ts') }));
    expect(names[0]).toEqual({ name: '0001-baseline' });
    const numbers = files.map((file) => Number(file.slice(0, 4)));
    expect(numbers, 'Each number is one above the last').toEqual(numbers.map((_, before) => before + 1));
    const listed = await execute('select name from kysely_migration order by name');
    expect(listed, 'Each file of the folder is listed in index.ts').toEqual(names);
    expect(await execute('select position, low, entries from user_search_blocks')).toEqual([
      { position: 0, low: '', entries: '' },
    ]);
  });

  test('a database from before the baseline is refused, and nothing in it changes', async () => {
    const { options, execute } = await empty();
    await execute(
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
      `insert into kysely_migration (name, timestamp) values ('0001-main-path', '2026-01-01T00:00:00.000Z')`,
      'create table users (id text primary key)',
      `insert into users (id) values ('ada')`,
    );
    const error = await openDatabase(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ message: expect.stringMatching(/before the first release.*empty data folder/) });
    expect(await execute('select * from users')).toEqual([{ id: 'ada' }]);
    expect(await execute('select name from kysely_migration')).toEqual([{ name: '0001-main-path' }]);
  });

  /** Executes migrations as the next version does, after those of this one. */
  async function asNextVersion(options: { databaseUrl: string | null; sqliteFile: string }, next: SchemaChange) {
    const database = options.databaseUrl ? await openPostgres(options.databaseUrl) : openSqlite(options.sqliteFile);
    try {
      await migrate(database.migrations, { ...migrations, '9999-later': next });
    } finally {
      await database.close();
    }
  }

  test('a database that a newer version has only expanded is used, and stays as it is', async () => {
    const { options, execute } = await empty();
    await (await openDatabase(options)).close();
    await asNextVersion(options, {
      up: (db) => sql`alter table installation add column later bigint not null default 0`.execute(db).then(() => {}),
    });
    await (await openDatabase(options)).close();
    expect(await execute('select name from kysely_migration order by name desc limit 1')).toEqual([
      { name: '9999-later' },
    ]);
  });

  test('a migration that ends half-way leaves nothing behind, and is repeated', async () => {
    const { options, execute } = await empty();
    await (await openDatabase(options)).close();
    const change = (end: () => Promise<void>) => {
      const run = async (db: Kysely<unknown>): Promise<void> => void (await sql`create table later (id text primary key)`.execute(db)); // prettier-ignore
      // Migrations begin a transaction of their own on SQLite. It ends here before the migration is recorded.
      return { up: (db: Kysely<unknown>) => (options.databaseUrl ? run(db) : db.transaction().execute(run)).then(end) };
    };
    const interrupted = change(() => Promise.reject(new Error('no room')));
    await expect(asNextVersion(options, interrupted)).rejects.toMatchObject({ cause: { message: 'no room' } });
    await (await openDatabase(options)).close();
    await asNextVersion(
      options,
      change(() => Promise.resolve()),
    );
    expect(await execute('select * from later')).toEqual([]);
  });

  test('a database of which a newer version has removed something is refused', async () => {
    const { options } = await empty();
    await (await openDatabase(options)).close();
    await asNextVersion(options, {
      oldest: '9998-before',
      up: (db) => sql`alter table installation drop column blobs_held_until`.execute(db).then(() => {}),
    });
    const error = await openDatabase(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ message: expect.stringMatching(/newer version \(9999-later\)/) });
  });

  test('a database that lacks a migration of this version below a newer one is refused', async () => {
    const { options, execute } = await empty();
    await (await openDatabase(options)).close();
    await execute(
      `insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`,
      `delete from kysely_migration where name = '0015-blob-hold'`,
    );
    await expect(openDatabase(options)).rejects.toBeInstanceOf(Refusal);
  });
});

describe('a migration', () => {
  /** The first program that tolerates newer migrations knows this one. */
  const FIRST = '0016-oldest-program';

  /** Statements of a migration on PostgreSQL, without executing them. */
  async function statementsOf({ up }: SchemaChange): Promise<string[]> {
    const statements: string[] = [];
    const db = new Kysely<unknown>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (of) => new PostgresIntrospector(of),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
      log: ({ query }) => void statements.push(query.sql.trim()),
    });
    await up(db);
    return statements;
  }

  /** Returns whether programs that do not know the statement can read and write as before. */
  function isExpansion(statement: string, created: ReadonlySet<string>): boolean {
    const [, unique = '', indexed = ''] = /^create (unique )?index \w+\s+on (\w+)/.exec(statement) ?? [];
    if (unique !== '') return created.has(indexed);
    if (/^(create table|create index|drop index|insert into|update|with recursive|with) /.test(statement)) return true;
    // An index that only some servers can have.
    if (/^do \$\$ begin\s+(create (extension|index) [^;]+;\s+)+exception when others then raise notice [^;]+;\s+end \$\$$/.test(statement)) return true; // prettier-ignore
    const column = /^alter table \w+ add column (.*)$/s.exec(statement)?.[1] ?? null;
    return (
      column !== null && !/ unique| primary key/.test(column) && (!/not null/.test(column) || /default/.test(column))
    );
  }

  test.each(Object.entries(migrations).filter(([name]) => name >= FIRST))(
    '%s only expands the schema, or names the oldest program that fits',
    async (_name, migration) => {
      const statements = await statementsOf(migration);
      expect(statements).not.toEqual([]);
      const created = new Set(statements.flatMap((one) => /^create table (\w+)/.exec(one)?.[1] ?? []));
      if (migration.oldest !== undefined) return;
      const remedy = 'The version before goes on beside it. Give a new column a default or null; else export oldest';
      expect(statements.filter((one) => !isExpansion(one, created)), remedy).toEqual([]); // prettier-ignore
    },
  );

  test.each([
    ['create table a (id text primary key)', true],
    ['alter table a add column b text', true],
    ['alter table a add column b bigint not null default 0', true],
    ['create unique index a_b on a (b)', true],
    ['create unique index c_b on c (b)', false],
    ['alter table a add column b text not null', false],
    ['alter table a rename to b', false],
    ['alter table a drop column b', false],
    ['alter table a alter column b type text', false],
    ['drop table a', false],
    ['delete from a', false],
    [`do $$ begin create index a_b on a (b); exception when others then raise notice '%', sqlerrm; end $$`, true],
    [`do $$ begin drop table a; exception when others then raise notice '%', sqlerrm; end $$`, false],
  ])('the rule judges %s', (statement, expected) => {
    expect(isExpansion(statement, new Set(['a']))).toBe(expected);
  });
});
