import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { removeTree, type DataPoolMount } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { everyFileOf } from './queries.ts';
import { requireReadable, type ReferencedPools } from './references.ts';
import { isWritable } from './rights-of-grant.ts';
import { copyPool, readBase, writeBase } from './writable-copy.ts';

/** Attempts to lay out a pool whose files are replaced meanwhile. After the last one the start fails. */
const ATTEMPTS = 10;
/** Modes of folders. Other users may pass through, because sandboxes run as such. Only a pool itself can be listed. */
const PASSABLE = 0o711;
const LISTABLE = 0o755;
/**
 * Mode for containers: the engine mounts their pools. Their user 1000 may be a person on this machine, who must not
 * pass.
 */
const PRIVATE = 0o700;
const DRAFT = 'draft-';

/** The program that runs an execution: a sandbox with a user of its own, or a container of the engine. */
export type Driver = 'SANDBOX' | 'CONTAINER';

/**
 * Lays out the files of data pools for an execution: one folder for each pool, as the pool is now. Folders of an
 * earlier attempt to start stay. Pools that the execution may change are copied.
 * @param driver what runs the execution. It decides who can reach the folders.
 * @throws `data-pool-not-readable` when the reader may not read a pool any more. `too-large` for a pool to be changed
 * that holds more than an execution may write. `insufficient-storage` when the machine has no space.
 */
export async function layOutPools(
  platform: Platform,
  executionId: string,
  referenced: ReferencedPools,
  driver: Driver,
): Promise<DataPoolMount[]> {
  const folder = folderOf(platform, executionId);
  if (await isThere(folder)) return mountsIn(folder, referenced);
  const draft = path.join(root(platform), DRAFT + executionId);
  await rm(draft, { recursive: true, force: true });
  try {
    await makeFolder(root(platform), PASSABLE);
    await makeFolder(draft, driver === 'SANDBOX' ? PASSABLE : PRIVATE);
    for (const [index, pool] of referenced.pools.entries()) {
      const target = path.join(draft, String(index));
      const writable = await isWritable(platform.database.read, pool);
      if (writable) await writeBase(target, await again(target, () => copyPool(platform, target, pool.id)));
      else await again(target, () => linkPool(platform, target, pool.id));
    }
    // Checked last: a pool that was deleted meanwhile is laid out with fewer files, or none.
    await requireReadable(platform.database.read, referenced);
    // The rename is last, so a folder under this name is complete.
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return mountsIn(folder, referenced);
}

/** The pools that were laid out for an execution. Those with a base are writable. */
async function mountsIn(folder: string, { pools }: ReferencedPools): Promise<DataPoolMount[]> {
  return Promise.all(
    pools.map(async ({ parameter }, index) => {
      const at = path.join(folder, String(index));
      return { parameter, path: at, writable: (await readBase(at)) !== null };
    }),
  );
}

/** Returns whether data pools are laid out for an execution. */
export function hasPools(platform: Platform, executionId: string): boolean {
  return existsSync(folderOf(platform, executionId));
}

/** Removes the data pools that were laid out for an execution that has ended, or has not begun. */
export async function clearPools(platform: Platform, executionId: string): Promise<void> {
  const folder = folderOf(platform, executionId);
  // Most executions have none. The check takes a twentieth of the time of removing nothing.
  if (existsSync(folder)) await removeTree(folder);
}

/** Removes folders that a killed process has left, except those of these executions. */
export async function clearOtherPools(platform: Platform, executionIds: ReadonlySet<string>): Promise<void> {
  await makeFolder(root(platform), PASSABLE);
  for (const name of await readdir(root(platform))) {
    if (executionIds.has(name)) continue;
    await removeTree(path.join(root(platform), name));
  }
}

/**
 * The folder of all mounts, below that of the runtime: sandboxes reach it even when its parents let no other user pass.
 */
function root({ configuration }: Platform): string {
  return path.join(configuration.dataDir, 'runtime', 'datapools');
}

export function folderOf(platform: Platform, executionId: string): string {
  return path.join(root(platform), executionId);
}

async function linkPool(platform: Platform, folder: string, id: string): Promise<void> {
  for await (const { name, blob } of everyFileOf(platform.database, id))
    await platform.blobs.linkTo(blob, path.join(folder, name));
}

async function again<T>(folder: string, fill: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(folder, LISTABLE);
      return await fill();
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function makeFolder(folder: string, mode: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode); // mkdir applies the umask
}

async function isThere(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
