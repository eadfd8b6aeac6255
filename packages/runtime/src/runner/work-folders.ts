import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { errorCode } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import { discard } from './discard.ts';

/** Folders for sandboxes that wait for an execution, and the removal of those of executions. */
export class WorkFolders {
  readonly #paths: RunnerPaths;
  #removed = 0;

  constructor(paths: RunnerPaths) {
    this.#paths = paths;
  }

  /**
   * Makes a folder outside of any execution. Its name is random: a sandbox sees it in `/proc/self/mountinfo`, and a number
   * would reveal how many sandboxes there were.
   */
  make(): string {
    const folder = `${this.#paths.workFolders}/${randomUUID()}`;
    mkdirSync(folder, { mode: 0o711 });
    chmodSync(folder, 0o711); // whatever the umask
    return folder;
  }

  /** Takes the folder of an execution away at once, so that the id is free. Its content is deleted in the background. */
  remove(folder: string): void {
    const trash = `${this.#paths.trash}/${process.pid}-${++this.#removed}`;
    try {
      renameSync(folder, trash);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    discard(trash);
  }
}
