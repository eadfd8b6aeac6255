import { constants } from 'node:fs';
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { syncEntry } from '../../foundation/storage/index.ts';
import { requireFreeSpace } from '../quotas/index.ts';
import { everyFileOf, findPool } from './queries.ts';

/** The state of a writable pool when the execution began: the SHA-256, in hex, of each file by its name. */
export type Base = ReadonlyMap<string, string>;

/**
 * Copies the files of a pool to a folder that a program may write to. Links would let the program change the blobs. The
 * copies are on the disk when the promise resolves: one that a loss of power cut short would look like a change. Throws
 * `too-large` for a pool that holds more than an execution may write, and `insufficient-storage`.
 */
export async function copyPool(platform: Platform, folder: string, id: string): Promise<Base> {
  const pool = await findPool(platform.database.read, id);
  if (pool && (pool.files > limits.outputFiles || pool.bytes > limits.outputBytes)) throw tooLarge(id);
  const base = new Map<string, string>();
  const linked = `${folder}.link`;
  let bytes = 0;
  for await (const file of everyFileOf(platform.database, id)) {
    bytes += file.bytes;
    // Checked again, because the pool may grow meanwhile.
    if (base.size >= limits.outputFiles || bytes > limits.outputBytes) throw tooLarge(id);
    requireFreeSpace(platform);
    const target = path.join(folder, file.name);
    await rm(linked, { force: true });
    await platform.blobs.linkTo(file.blob, linked);
    await copyFile(linked, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await rm(linked);
    await chmod(target, 0o600);
    base.set(file.name, file.digest);
  }
  // Syncs that wait together share a commit of the file system.
  await Promise.all([...base.keys()].map((name) => syncEntry(path.join(folder, name))));
  await syncEntry(folder);
  return base;
}

/** Writes the base of a folder beside it, where no program sees it. A folder with a base is writable. */
export async function writeBase(folder: string, base: Base): Promise<void> {
  await writeFile(baseFileOf(folder), JSON.stringify([...base]), { mode: 0o600 });
  await syncEntry(baseFileOf(folder));
}

/** Reads the base of a folder. Null for a folder that is read-only or gone. */
export async function readBase(folder: string): Promise<Base | null> {
  try {
    return new Map(JSON.parse(await readFile(baseFileOf(folder), 'utf8')) as [string, string][]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function baseFileOf(folder: string): string {
  return `${folder}.base.json`;
}

function tooLarge(id: string): Problem {
  return new Problem(
    'too-large',
    `An execution changes data pools of at most ${limits.outputFiles} files and ${limits.outputBytes} bytes, and ${id} holds more. Grant VIEW instead of MODIFY.`,
  );
}
