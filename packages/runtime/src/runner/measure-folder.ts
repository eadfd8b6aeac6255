import { execFile } from 'node:child_process';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';

const run = promisify(execFile);
/** Files whose size is asked for at once. */
const TOGETHER = 64;

export interface Bounds {
  bytes: number;
  entries: number;
}

export interface Measured extends Bounds {
  /** Folders that their owner has closed and that we cannot enter, as we are not root. */
  closed: number;
}

/** Measures several folders and adds the sums. It stops when the bounds are exceeded. */
export async function measureFolders(folders: readonly string[], bounds: Bounds): Promise<Measured> {
  const sum = { bytes: 0, entries: 0, closed: 0 };
  for (const folder of folders) {
    const left = { bytes: bounds.bytes - sum.bytes, entries: bounds.entries - sum.entries };
    const { bytes, entries, closed } = await measureFolder(folder, left);
    sum.bytes += bytes;
    sum.entries += entries;
    sum.closed += closed;
    if (sum.bytes > bounds.bytes || sum.entries > bounds.entries) return sum;
  }
  return sum;
}

/**
 * Measures a folder with everything below it, and stops beyond the bounds. The program may change the folder meanwhile,
 * so the sums are inexact. Only names and sizes are read.
 */
export async function measureFolder(top: string, bounds: Bounds): Promise<Measured> {
  const pending = [top];
  const found = { bytes: 0, entries: 0, closed: 0 };
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let files: string[] = [];
    const sizes = async (): Promise<void> => {
      const all = await Promise.all(files.map(bytesOf));
      files = [];
      found.bytes += all.reduce((sum, one) => sum + one, 0);
    };
    try {
      for await (const entry of await opendir(folder, { bufferSize: 1_024 })) {
        found.entries += 1;
        if (entry.isDirectory()) pending.push(join(folder, entry.name));
        else files.push(join(folder, entry.name));
        if (files.length >= TOGETHER) await sizes();
        if (found.bytes > bounds.bytes || found.entries > bounds.entries) return found;
      }
      await sizes();
      if (found.bytes > bounds.bytes) return found;
    } catch (error) {
      if (errorCode(error) === 'ENAMETOOLONG') return measureDeep(top);
      if (errorCode(error) === 'EACCES') found.closed += 1;
      else if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
    }
  }
  return found;
}

/**
 * Measures folders with du(1) when a path exceeds 4 KiB: du walks from folder to folder. Closed folders stay closed to
 * it, too.
 */
async function measureDeep(top: string): Promise<Measured> {
  const counts = await Promise.all(
    ['--block-size=1', '--inodes'].map(async (option) => {
      const answer = await run('du', ['-s', option, '--', top], { env: {} }).catch((error: unknown) => partOf(error));
      return { count: Number(answer.stdout.split('\t')[0]), failed: 'failed' in answer };
    }),
  );
  const [bytes, entries] = counts;
  return {
    bytes: bytes?.count ?? 0,
    entries: entries?.count ?? 0,
    closed: counts.some(({ failed }) => failed) ? 1 : 0,
  };
}

/** Returns the output of a du that could not enter every folder. */
function partOf(error: unknown): { stdout: string; failed: true } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string')
    return { stdout: error.stdout, failed: true };
  throw error;
}

async function bytesOf(file: string): Promise<number> {
  try {
    return (await lstat(file)).blocks * 512;
  } catch (error) {
    // the path is too long, which is found at its folder; or the file is gone
    if (['ENAMETOOLONG', 'ENOENT', 'EACCES'].includes(errorCode(error) ?? '')) return 0;
    throw error;
  }
}
