import { execFile } from 'node:child_process';
import { chmod, lchown, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';

const run = promisify(execFile);

/** Removes a folder and everything in it, also when it is read-only. A missing folder is no error. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) !== 'EACCES' && errorCode(error) !== 'EPERM') throw error;
    await eachEntry(folder, async (path, isFolder) => {
      if (isFolder) await chmod(path, 0o700);
    });
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes a tree read-only and, as root, our own, so that an unprivileged command cannot change later what it wrote. The
 * folder itself stays writable, because only root can move a folder that it may not write.
 */
export async function sealTree(folder: string): Promise<void> {
  const user = process.getuid?.() ?? -1;
  await eachEntry(folder, async (path, isFolder, isLink) => {
    if (user === 0) await lchown(path, 0, 0);
    if (isLink || path === folder) return;
    const executable = isFolder || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, executable ? 0o555 : 0o444);
  });
}

/** The bytes of all files below a folder. */
export async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  await eachEntry(folder, async (path, isFolder, isLink) => {
    if (!isFolder && !isLink) bytes += (await stat(path)).size;
  });
  return bytes;
}

/**
 * Writes everything below a folder to the disk: one system call (syncfs) instead of an fsync for each of a thousand
 * files.
 */
export async function syncFolder(folder: string): Promise<void> {
  await run('sync', ['--file-system', folder]);
}

/** Visits the folder itself first, then its content. */
async function eachEntry(
  folder: string,
  visit: (path: string, isFolder: boolean, isLink: boolean) => Promise<void>,
): Promise<void> {
  await visit(folder, true, false);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await eachEntry(path, visit);
    else await visit(path, false, entry.isSymbolicLink());
  }
}
