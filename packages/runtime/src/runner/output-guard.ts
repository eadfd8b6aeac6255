import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, messageOf } from '../errors.ts';

const LOOK_MS = 1_000;
/** Of the limits that hold for what is offered in the end: scratch files are welcome, a full disk is not. */
const TOLERANCE = 2;
const MOST_ENTRIES_MORE = 50_000;

/**
 * Looks at a folder while a program fills it, and calls `exceeded` once when it holds far too much. File systems without
 * project quotas (and most machines) have no better way; in one look a fast disk takes some hundred MB.
 * @returns what ends the looking.
 */
export function guardOutput(
  dir: string,
  limits: { outputBytes: number; outputFiles: number },
  exceeded: () => void,
): () => void {
  const bounds = { bytes: limits.outputBytes * TOLERANCE, entries: limits.outputFiles * TOLERANCE + MOST_ENTRIES_MORE };
  let looking = false;
  let over = false;
  const timer = setInterval(() => {
    if (looking || over) return;
    looking = true;
    exceeds(dir, bounds)
      .then((yes) => {
        if (!yes || over) return;
        over = true;
        exceeded();
      })
      .catch((error: unknown) => {
        console.error(`an output folder could not be measured: ${messageOf(error)}`);
      })
      .finally(() => {
        looking = false;
      });
  }, LOOK_MS);
  return () => {
    over = true;
    clearInterval(timer);
  };
}

/** The program may change everything meanwhile; that makes this inexact, and it reads nothing but sizes. */
async function exceeds(top: string, bounds: { bytes: number; entries: number }): Promise<boolean> {
  const pending = [top];
  let bytes = 0;
  let entries = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    try {
      for await (const entry of await opendir(folder)) {
        entries += 1;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) pending.push(path);
        else bytes += (await lstat(path)).blocks * 512;
        if (bytes > bounds.bytes || entries > bounds.entries) return true;
      }
    } catch (error) {
      if (errorCode(error) === 'ENAMETOOLONG') return true; // nested beyond 4 KiB of path, where nobody could measure
      if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    }
  }
  return false;
}
