import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { Refusal } from '../../config/index.ts';
import { openDatabase } from '../open-database.ts';
import { openPostgres } from '../postgres.ts';
import { openSqlite } from '../sqlite.ts';

describe.each(databases)('migrations on $name', ({ create }) => {
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
    expect(await execute('select name from kysely_migration order by name')).toEqual(names);
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

  test('a database of a newer version is refused', async () => {
    const { options, execute } = await empty();
    await (await openDatabase(options)).close();
    await execute(`insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`);
    const error = await openDatabase(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ message: expect.stringMatching(/newer version \(9999-later\)/) });
  });
});
