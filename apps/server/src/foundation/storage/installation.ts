import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../config/index.ts';
import { isStoreAway, type Blobs } from './blobs.ts';
import type { Database } from './database.ts';
import type { Seal } from './seal.ts';
import { refusedFiles } from './refused-files.ts';

const PURPOSE = 'installation';
const CHECK = 'kethub';
/** Milliseconds after which a store counts as one that does not answer. */
const STORE_MS = 10_000;

/** The key and the stores of a process, which all processes on a database must have in common. */
export interface Share {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly seal: Seal;
  readonly now: () => number;
}

/**
 * Checks that this process has the instance key and the store of blobs that belong to the database. The first process
 * records both there. With others, requests would fail one by one: values cannot be unsealed, blobs are missing. Returns
 * the name of the installation, which is that of its mark in the store. Throws Refusal.
 */
export async function joinInstallation(share: Share): Promise<string> {
  const { sealed_check, blob_store } = (await known(share.database)) ?? (await found(share));
  if (!isSealedBy(share.seal, sealed_check))
    throw new Refusal(
      'The database was made with another instance key: what is sealed in it could not be read. Give every process the same KETHUB_INSTANCE_KEY (that of the first one, if it was not set, stands in instance.key in its data folder).',
    );
  if (!(await hasBlob(share.blobs, blob_store)))
    throw new Refusal(
      `The store of files is not the one that belongs to the database: it does not hold ${blob_store}. Give every process the same KETHUB_BLOBS, and move the files along when the store is moved.`,
    );
  return blob_store;
}

/**
 * Checks that a data folder belongs to this installation. The first process on it records that. Another database knows
 * nothing of what lies there: repositories would be taken for deleted ones, and running executions for strange ones.
 * Throws Refusal.
 */
export function joinDataFolder(dataDir: string, installation: string): void {
  const file = path.join(dataDir, 'installation.id');
  if (!existsSync(file)) {
    // A full disk or a crash leaves no half-written name.
    const made = `${file}.${process.pid}`;
    writeFileSync(made, `${installation}\n`, { mode: 0o600, flush: true });
    renameSync(made, file);
  }
  if (readFileSync(file, 'utf8').trim() === installation) return;
  throw new Refusal(
    `The data folder ${dataDir} belongs to another Kethub: it was used with another database. Choose another folder (KETHUB_DATA_DIR=…), or give this process the database of that one (DATABASE_URL). If that database is gone for good, remove ${file}: what lies in the folder is then cleared.`,
  );
}

/** Returns a sentence about why the store of files cannot be used, for the operator; null while it can. */
export async function storeProblem({ database, blobs }: Pick<Share, 'database' | 'blobs'>): Promise<string | null> {
  const mark = (await known(database))?.blob_store;
  if (mark === undefined) return null;
  const late = new Error('It did not answer for a while.');
  try {
    const { stream } = await Promise.race([
      blobs.get(mark, { from: 0, to: 0 }),
      pause(STORE_MS, null, { ref: false }).then(() => Promise.reject(late)),
    ]);
    stream.destroy();
    return null;
  } catch (error) {
    const { message } = refusedFiles(error) as Error;
    return error instanceof Refusal || isStoreAway(error) ? message : `The store of files cannot be read: ${message}`;
  }
}

function known(database: Database) {
  return database.read.selectFrom('installation').selectAll().executeTakeFirst();
}

/** Records key and store. The mark is stored before the database names it, so that a crash in between does no harm. */
async function found({ database, blobs, seal, now }: Share) {
  const mark = await blobs
    .put(`The store of files of a Kethub. Its database names this file; do not remove it.\n`)
    .catch((error: unknown) => {
      throw refusedFiles(error);
    });
  const row = await database.write(async (transaction) => {
    await transaction
      .insertInto('installation')
      .values({ id: 'this', sealed_check: seal.seal(PURPOSE, CHECK), blob_store: mark, created_at: now() })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    return transaction.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  });
  if (row.blob_store !== mark) await blobs.remove(mark);
  return row;
}

/** True if the constant was sealed under this key. */
export function isSealedBy(seal: Seal, sealed: string): boolean {
  try {
    return seal.unseal(PURPOSE, sealed) === CHECK;
  } catch {
    return false;
  }
}

/** Returns whether the store has a blob. Tries three times, because a folder shared over the network may lag behind. */
async function hasBlob(blobs: Blobs, key: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { stream } = await blobs.get(key);
      stream.destroy();
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw refusedFiles(error);
      if (attempt === 3) return false;
      await pause(200);
    }
  }
}
