import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { readdir, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import { discard, removeTree } from './discard.ts';
import { END, END_DRAFT, NOTE } from './records.ts';

/** Spare folders at most. Beyond them folders are deleted. */
const MOST_SPARE = 16;
/** Files of an execution that are emptied and used again. No program had a descriptor of them. */
const KEPT = [END_DRAFT, NOTE];

/**
 * Folders for sandboxes that wait for an execution, and the removal of executions' folders.
 *
 * A removed folder is emptied and used again, with the files that only the runner names. ext4 gives no inode away in the
 * first minute after its deletion, and searches past all of these for each new file: at 60 executions a second, that was
 * a tenth of the processor time of a trivial execution.
 */
export class WorkFolders {
  readonly #paths: RunnerPaths;
  readonly #isReused: boolean;
  readonly #spare: string[] = [];
  #removed = 0;

  /** @param isReused false where programs run as our own user, and could leave attributes on our files. */
  constructor(paths: RunnerPaths, isReused: boolean) {
    this.#paths = paths;
    this.#isReused = isReused;
  }

  /**
   * Makes a folder outside of any execution. Its name is random, because a sandbox sees it in `/proc/self/mountinfo`. A
   * number would reveal how many sandboxes there were.
   */
  make(): string {
    const folder = `${this.#paths.workFolders}/${randomUUID()}`;
    const spare = this.#spare.pop();
    if (spare === undefined) mkdirSync(folder, { mode: 0o711 });
    else renameSync(spare, folder);
    chmodSync(folder, 0o711); // independent of the umask
    return folder;
  }

  /** Removes a folder at once, so that its execution's id is free. The content is deleted in the background. */
  remove(folder: string): void {
    const trash = `${this.#paths.trash}/${process.pid}-${++this.#removed}`;
    try {
      renameSync(folder, trash);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    if (!this.#isReused) discard(trash);
    else this.#empty(trash).catch(() => discard(trash));
  }

  async #empty(folder: string): Promise<void> {
    const spare = join(this.#paths.spare, randomUUID());
    const names = await readdir(folder);
    if (names.includes(END)) await rename(join(folder, END), join(folder, END_DRAFT));
    for (const name of names) {
      if (KEPT.includes(name)) await truncate(join(folder, name));
      else if (name === END) await truncate(join(folder, END_DRAFT));
      else await removeTree(join(folder, name));
    }
    if (this.#spare.length >= MOST_SPARE) return discard(folder);
    renameSync(folder, spare);
    this.#spare.push(spare);
  }
}
