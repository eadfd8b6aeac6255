import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { removeTree, type DataPoolMount } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { everyFileOf } from './queries.ts';
import { requireReadable, type ReferencedPools } from './references.ts';
import { isWritable } from './rights-of-grant.ts';
import { copyPool, readBase, writeBase } from './writable-copy.ts';

/** How often a pool is read anew because a file of it was replaced while it was laid out. */
const ATTEMPTS = 10;
/** Others may pass, because sandboxes run as other users; only a pool itself can be listed. */
const PASSABLE = 0o711;
const LISTABLE = 0o755;
/** The engine mounts the pools of a container. Its user 1000 may be a person of this machine, who must not pass. */
const PRIVATE = 0o700;
const DRAFT = 'draft-';

/** The program that runs an execution: a sandbox with a user of its own, or a container of the engine. */
export type Driver = 'SANDBOX' | 'CONTAINER';

/**
 * Lays the files of data pools out for an execution, each pool a folder: as it is now, whatever becomes of the pool.
 * Where they are laid out already, because the start is repeated, they stay. Those that it may change are copies.
 * @param driver what runs the execution. It decides who can reach the folders.
 * @throws `data-pool-not-readable` when the reader may not read one any more, `too-large` for one that is to be changed and
 * holds more than the output of an execution, and `insufficient-storage`.
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
    // Last: one that was deleted while it was laid out has left fewer files, or none.
    await requireReadable(platform.database.read, referenced);
    // A folder under this name is complete: something may be running on it.
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return mountsIn(folder, referenced);
}

/** The pools that were laid out for an execution. Those with a base can be written. */
async function mountsIn(folder: string, { pools }: ReferencedPools): Promise<DataPoolMount[]> {
  return Promise.all(
    pools.map(async ({ parameter }, index) => {
      const at = path.join(folder, String(index));
      return { parameter, path: at, writable: (await readBase(at)) !== null };
    }),
  );
}

/** Whether anything is laid out for an execution. */
export function hasPools(platform: Platform, executionId: string): boolean {
  return existsSync(folderOf(platform, executionId));
}

/** Takes away what was laid out for an execution that has ended, or not begun. */
export async function clearPools(platform: Platform, executionId: string): Promise<void> {
  const folder = folderOf(platform, executionId);
  // Most have none, and to look takes a twentieth of the time of removing nothing.
  if (existsSync(folder)) await removeTree(folder);
}

/** Takes away what a process that was killed has left, but not what these executions have. */
export async function clearOtherPools(platform: Platform, executionIds: ReadonlySet<string>): Promise<void> {
  await makeFolder(root(platform), PASSABLE);
  for (const name of await readdir(root(platform))) {
    if (executionIds.has(name)) continue;
    await removeTree(path.join(root(platform), name));
  }
}

/** Within the folder of the runtime, which sandboxes reach also where its parents let nobody pass. */
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
  await chmod(folder, mode); // whatever the umask
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
