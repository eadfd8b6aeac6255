import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfiguration } from '../foundation/config/index.ts';
import { storedDatabase, type StoredDatabase } from './stored.ts';

let dataDir: string;
let database: StoredDatabase;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'kethub-stored-test-'));
  database = storedDatabase(readConfiguration({ KETHUB_DATA_DIR: dataDir }));
});
afterEach(() => rm(dataDir, { recursive: true }));

test.each(['', '-wal', '-shm', '-journal'])('a data folder with kethub.db%s has a SQLite', async (end) => {
  expect(await database.isEmpty()).toBe(true);
  await writeFile(path.join(dataDir, `kethub.db${end}`), '');
  expect(await database.isEmpty()).toBe(false);
});

test('a hold on blobs is extended, and not shortened by another backup', async () => {
  const opened = new SQLite(path.join(dataDir, 'kethub.db'));
  opened.exec('create table installation (blobs_held_until bigint); insert into installation values (5)');
  for (const until of [20, 10]) await database.holdBlobs(until);
  expect(opened.prepare('select * from installation').get()).toEqual({ blobs_held_until: 20 });
  opened.close();
});
