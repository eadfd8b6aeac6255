import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { Refusal } from '../config/index.ts';

/** A part of the data folder that one process alone may have: the running executions, or the uploads that arrive. */
export type Part = 'worker' | 'api';

/** The first has the name of the time when one process played every role. */
const LOCKS: Readonly<Record<Part, string>> = { worker: 'platform.lock', api: 'api.lock' };

/** Makes the data folder, readable by its user alone. Throws Refusal. */
export function openDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    chmodSync(dataDir, 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The data folder cannot be used: ${reason}. Choose another folder: KETHUB_DATA_DIR=…`);
  }
}

/**
 * Takes a part of the data folder for this process; returns the way to give it back. The lock is one of the file system
 * (through SQLite), so that it ends with the process, however that ends. Throws Refusal when another process has it.
 */
export function takePart(dataDir: string, part: Part): () => void {
  const lock = new Database(path.join(dataDir, LOCKS[part]), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY')) throw error;
    throw new Refusal(
      `Another Kethub uses the data folder ${dataDir}. Stop it, or choose another folder: KETHUB_DATA_DIR=…`,
    );
  }
  return () => void lock.close();
}

/** Names the worker of this folder in the database, the same after every restart. */
export function workerIdOf(dataDir: string, newId: () => string): string {
  const file = path.join(dataDir, 'worker.id');
  if (!existsSync(file)) writeFileSync(file, newId(), { mode: 0o600, flush: true });
  const id = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f-]{36}$/.test(id))
    throw new Refusal(
      `${file} does not hold the id of a worker. Remove it: executions that ran when it was written then end as UNKNOWN.`,
    );
  return id;
}
