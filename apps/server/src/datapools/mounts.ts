import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DataPoolMount } from '@kethub/runtime';
import type { Platform } from '../platform.ts';
import type { DataPoolFileRow } from '../storage/index.ts';
import { filesOfPool } from './queries.ts';
import { requireReadable, type ReferencedPools } from './references.ts';

/** How often a pool is read anew because a file of it was replaced while it was laid out. */
const ATTEMPTS = 10;
const CHUNK = 500;
/** Others may pass, because sandboxes run as other users; only a pool itself can be listed. */
const PASSABLE = 0o711;
const LISTABLE = 0o755;
const DRAFT = 'draft-';

/**
 * Lays the files of data pools out for an execution, each pool a folder: as it is now, whatever becomes of the pool.
 * Where they are laid out already, because the start is repeated, they stay. Throws `data-pool-not-readable` when the
 * reader may not read one any more.
 */
export async function layOutPools(
  platform: Platform,
  executionId: string,
  referenced: ReferencedPools,
): Promise<DataPoolMount[]> {
  const folder = folderOf(platform, executionId);
  const mounts = referenced.pools.map(({ parameter }, index) => ({
    parameter,
    path: path.join(folder, String(index)),
    writable: false,
  }));
  if (await isThere(folder)) return mounts;
  const draft = path.join(root(platform), DRAFT + executionId);
  await rm(draft, { recursive: true, force: true });
  try {
    for (const made of [root(platform), draft]) await makeFolder(made, PASSABLE);
    for (const [index, { id }] of referenced.pools.entries()) await fill(platform, path.join(draft, String(index)), id);
    // Last: one that was deleted while it was laid out has left fewer files, or none.
    await requireReadable(platform.database.read, referenced);
    // A folder under this name is complete: something may be running on it.
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return mounts;
}

/** Takes away what was laid out for an execution that has ended, or not begun. */
export async function clearPools(platform: Platform, executionId: string): Promise<void> {
  const folder = folderOf(platform, executionId);
  // Most have none, and to look takes a twentieth of the time of removing nothing.
  if (existsSync(folder)) await rm(folder, { recursive: true, force: true });
}

/** Takes away what a process that was killed has left, but not what these executions have. */
export async function clearOtherPools(platform: Platform, executionIds: ReadonlySet<string>): Promise<void> {
  await makeFolder(root(platform), PASSABLE);
  for (const name of await readdir(root(platform))) {
    if (executionIds.has(name)) continue;
    await rm(path.join(root(platform), name), { recursive: true, force: true });
  }
}

/** Within the folder of the runtime, which sandboxes reach also where its parents let nobody pass. */
function root({ configuration }: Platform): string {
  return path.join(configuration.dataDir, 'runtime', 'datapools');
}

function folderOf(platform: Platform, executionId: string): string {
  return path.join(root(platform), executionId);
}

async function fill(platform: Platform, folder: string, id: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(folder, LISTABLE);
      for await (const { name, blob } of filesOf(platform, id))
        await platform.blobs.place(blob, path.join(folder, name));
      return;
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function* filesOf({ database }: Platform, id: string): AsyncGenerator<DataPoolFileRow> {
  for (let cursor: string | null = null; ;) {
    const rows: DataPoolFileRow[] = await filesOfPool(database.read, id, cursor, CHUNK);
    yield* rows;
    cursor = rows.at(-1)?.id ?? null;
    if (rows.length < CHUNK) return;
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
