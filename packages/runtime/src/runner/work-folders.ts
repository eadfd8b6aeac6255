import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { errorCode } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import { discard } from './discard.ts';

/** Folders for sandboxes that wait for an execution, and the removal of executions' folders. */
export class WorkFolders {
  readonly #paths: RunnerPaths;
  #removed = 0;

  constructor(paths: RunnerPaths) {
    this.#paths = paths;
  }

  /**
   * Makes a folder outside of any execution. Its name is random, because a sandbox sees it in `/proc/self/mountinfo`. A
   * number would reveal how many sandboxes there were.
   */
  make(): string {
    const folder = `${this.#paths.workFolders}/${randomUUID()}`;
    mkdirSync(folder, { mode: 0o711 });
    chmodSync(folder, 0o711); // independent of the umask
    return folder;
  }

  /** Removes the folder of an execution at once, so that its id is free. The content is deleted in the background. */
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
