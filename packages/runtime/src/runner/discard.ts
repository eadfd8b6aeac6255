import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';

const run = promisify(execFile);

/** Deletes an unused folder in the background. */
export function discard(path: string): void {
  removeTree(path).catch((error: unknown) => {
    console.error(`${path} could not be deleted: ${messageOf(error)}`);
  });
}

/** Deletes a folder that a program has written to. A missing folder is no error. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Some folders have no permissions or are nested deeper than a path may be long; rm(1) walks them one by one.
    await run('/bin/sh', ['-c', 'chmod -R u+rwX -- "$1" && rm -rf -- "$1"', 'sh', path]);
  }
}
