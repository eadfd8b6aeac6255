import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from './sqlite.ts';

const SECRET = 'ada.lovelace@example.org';

/** Creates a table with indexes, long rows that fill pages, and short rows that share pages. */
async function openTable() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-deleted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'kethub.db');
  const database = openSqlite(file);
  await sql`create table people (id integer primary key, email text, about text)`.execute(database.migrations);
  await sql`create index people_of_email on people (email)`.execute(database.migrations);
  const write = (statement: ReturnType<typeof sql>) => database.write((transaction) => statement.execute(transaction));
  for (let id = 0; id < 20; id++) await write(sql`insert into people values (${id}, ${`other${id}@example.org`}, 'x')`);
  await write(sql`insert into people values (100, ${SECRET}, ${SECRET.repeat(2_000)})`);
  await write(sql`insert into people values (101, 'short', ${SECRET})`);
  const files = [file, `${file}-wal`];
  const found = (): number => files.filter((one) => existsSync(one) && readFileSync(one).includes(SECRET)).length;
  return { database, file, found, write };
}

test('bytes of rows that were deleted or changed are neither in the database file nor in its log', async () => {
  const { database, found, write } = await openTable();
  expect(found()).toBeGreaterThan(0);
  await write(sql`delete from people where id = 100`);
  await write(sql`update people set about = 'y' where id = 101`);
  await database.overwriteDeleted();
  await expect.poll(found, { timeout: 30_000 }).toBe(0);
  await database.close();
  expect(found()).toBe(0);
});

test('while somebody reads an older state the log is kept, and others still write; it is emptied later', async () => {
  const { database, file, found, write } = await openTable();
  const other = new SQLite(file, { readonly: true });
  other.exec('begin');
  expect(other.prepare('select count(*) as n from people').get()).toEqual({ n: 22 });
  await write(sql`delete from people where id >= 100`);
  await database.overwriteDeleted();
  await write(sql`insert into people values (200, 'later', 'z')`);
  expect(other.prepare('select count(*) as n from people').get()).toEqual({ n: 22 });
  expect(found()).toBeGreaterThan(0);
  other.exec('commit');
  other.close();
  await expect
    .poll(
      async () => {
        await write(sql`update people set about = 'w' where id = 200`);
        return found();
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe(0);
  await database.close();
});

test('what a process that was killed has left in the log is emptied by the next one', async () => {
  const { database, file, found, write } = await openTable();
  // With this connection open, closing the database leaves the log behind, as a kill does.
  const other = new SQLite(file);
  await write(sql`delete from people where id >= 100`);
  await database.close();
  expect(found()).toBeGreaterThan(0);
  const next = openSqlite(file);
  other.close();
  await next.write((transaction) => sql`insert into people values (300, 'next', 'n')`.execute(transaction));
  await expect.poll(found, { timeout: 30_000 }).toBe(0);
  await next.close();
});
