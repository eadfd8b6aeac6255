import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { messageOf } from '../errors.ts';

/** Deletes a folder that nobody uses any more, without making anybody wait. */
export function discard(path: string): void {
  rm(path, { recursive: true, force: true }).catch(() => {
    // Folders without permissions, or nested deeper than a path may be long: rm(1) walks them one by one.
    execFile('/bin/sh', ['-c', 'chmod -R u+rwX -- "$1" && rm -rf -- "$1"', 'sh', path], (error) => {
      if (error) console.error(`${path} could not be deleted: ${messageOf(error)}`);
    });
  });
}
