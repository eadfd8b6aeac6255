import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { GroupCommit } from './group-commit.ts';
import { openSqlite } from './sqlite.ts';

const PAGE = 4_096;
const MIB = 1024 * 1024;

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-wal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Creates a table, with functions that write a mebibyte in one transaction and measure the log. */
async function openTable() {
  const file = path.join(temporaryFolder(), 'kethub.db');
  const database = openSqlite(file);
  await sql`create table pieces (piece blob)`.execute(database.migrations);
  const piece = Buffer.alloc(MIB, 'x');
  return {
    file,
    database,
    write: () => database.write((transaction) => sql`insert into pieces values (${piece})`.execute(transaction)),
    pagesInLog: () => Math.floor(statSync(`${file}-wal`).size / PAGE),
    async count() {
      const { rows } = await sql<{ n: number }>`select count(*) as n from pieces`.execute(database.read);
      return rows[0]?.n;
    },
  };
}

test('the log starts over while writes go on, and what is closed lies in one file', async () => {
  const { file, database, write, pagesInLog, count } = await openTable();
  for (let mebibytes = 0; mebibytes < 64; mebibytes++) await write();
  expect(pagesInLog()).toBeLessThan(8_000);
  expect(await count()).toBe(64);
  await database.close();
  expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
  expect(statSync(file).size).toBeGreaterThan(64 * MIB);
});

test('it cannot start over while somebody reads an older state, and does when that has ended', async () => {
  const { file, database, write, pagesInLog, count } = await openTable();
  await write();
  const other = new SQLite(file, { readonly: true });
  other.exec('begin');
  expect(other.prepare('select count(*) as n from pieces').get()).toEqual({ n: 1 });
  for (let mebibytes = 0; mebibytes < 40; mebibytes++) await write();
  expect(other.prepare('select count(*) as n from pieces').get()).toEqual({ n: 1 });
  other.exec('commit');
  other.close();
  const longest = pagesInLog();
  expect(longest).toBeGreaterThan(10_000);
  for (let mebibytes = 0; mebibytes < 40; mebibytes++) await write();
  // 10,240 more pages were written. A log that starts over is overwritten from its beginning.
  expect(pagesInLog()).toBeLessThan(longest + 2_000);
  expect(await count()).toBe(81);
  await database.close();
});

test('a write resolves when its commit has been synced; one that cannot be synced rejects (stand-in for the disk)', async () => {
  const syncs: PromiseWithResolvers<void>[] = [];
  const disk = {
    sync: () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    },
    keepShort: () => Promise.resolve(),
  };
  const writer = new SQLite(path.join(temporaryFolder(), 'kethub.db'));
  writer.exec('create table numbers (n)');
  const commits = new GroupCommit(writer, disk);
  const insert = writer.prepare('insert into numbers values (?)');
  const resolved: number[] = [];
  const write = (n: number): Promise<unknown> =>
    commits.run(() => Promise.resolve(insert.run(n))).then(() => resolved.push(n));
  const first = write(1);
  await expect.poll(() => syncs.length, { timeout: 30_000 }).toBe(1);
  const second = write(2);
  expect(resolved).toEqual([]);
  syncs[0]?.resolve();
  await first;
  expect(resolved).toEqual([1]);
  await expect.poll(() => syncs.length, { timeout: 30_000 }).toBe(2);
  expect(resolved).toEqual([1]);
  syncs[1]?.reject(new Error('the disk is broken'));
  await expect(second).rejects.toThrow('the disk is broken');
  writer.close();
});

test('a process whose commits cannot be synced ends', async () => {
  const folder = temporaryFolder();
  // A device that cannot be synced: EINVAL.
  symlinkSync('/dev/null', path.join(folder, 'broken-wal'));
  const program = `
    import SQLite from 'better-sqlite3';
    import { WriteAheadLog } from '${path.join(import.meta.dirname, 'write-ahead-log.ts')}';
    const log = new WriteAheadLog('${path.join(folder, 'broken')}', new SQLite('${path.join(folder, 'kethub.db')}'));
    setInterval(() => undefined, 1_000);
    log.sync().catch(() => undefined);`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('What was committed may not be on the disk'),
  });
});
