import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { Refusal } from '../config/index.ts';

/**
 * A part of the data folder that belongs to one process: running executions (worker), arriving uploads (api), or the
 * upkeep of repositories (git). A second process may serve repositories beside the first (git-beside), unless the first
 * clears them (git-clears).
 */
export type Part = 'worker' | 'api' | 'git' | 'git-beside' | 'git-clears';

/** Lock files. The name of the worker's is from a version in which one process had all roles. */
const LOCKS: Readonly<Record<Part, string>> = {
  worker: 'platform.lock',
  api: 'api.lock',
  git: 'git.lock',
  'git-beside': 'git-beside.lock',
  'git-clears': 'git-clears.lock',
};

/** Creates the data folder, readable by its user only. Throws Refusal. */
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
 * Locks a part of the data folder for this process. Returns a function that releases it; null if another process has it.
 * The lock is a file lock (taken through SQLite), so that it ends with the process, also if that is killed.
 */
export function tryPart(dataDir: string, part: Part): (() => void) | null {
  const lock = new Database(path.join(dataDir, LOCKS[part]), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY')) throw error;
    return null;
  }
  return () => void lock.close();
}

/** {@link tryPart} that throws Refusal if another process has it. */
export function takePart(dataDir: string, part: Part): () => void {
  const release = tryPart(dataDir, part);
  if (release) return release;
  throw new Refusal(
    `Another Kethub uses the data folder ${dataDir}. Stop it, or choose another folder: KETHUB_DATA_DIR=…`,
  );
}

/** The id of this folder's worker in the database, the same after every restart. */
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
