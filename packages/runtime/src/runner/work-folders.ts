import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import { discard, removeTree } from './discard.ts';
import { END, END_DRAFT, NOTE } from './records.ts';

/** Spare folders at most. Beyond them folders are deleted. */
const MOST_SPARE = 16;
/** Files of an execution that are emptied and used again. No program had a descriptor of them. */
const KEPT = [END_DRAFT, NOTE];
/** Size of a file whose deletion does not keep the runner from other executions. */
const SMALL_BYTES = 2 ** 20;

/**
 * Folders for sandboxes that wait for an execution, and the removal of executions' folders.
 *
 * A removed folder is emptied and used again, with the files that only the runner names. ext4 gives no inode away in
 * the first minute after its deletion, and searches past all of these for each new file. At 60 executions a second,
 * that was a tenth of the processor time of a trivial execution.
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

  /** Empties a folder. Short calls do not go to a thread: the way there and back costs more than the call. */
  async #empty(folder: string): Promise<void> {
    const spare = join(this.#paths.spare, randomUUID());
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (KEPT.includes(entry.name)) truncateSync(path);
      else if (entry.name === END) {
        truncateSync(path);
        renameSync(path, join(folder, END_DRAFT));
      } else if (!isDeleted(path, entry)) await removeTree(path);
    }
    if (this.#spare.length >= MOST_SPARE) return discard(folder);
    renameSync(folder, spare);
    this.#spare.push(spare);
  }
}

/** Deletes a small file, or a folder without content. Returns whether it is gone. */
function isDeleted(path: string, entry: Dirent): boolean {
  try {
    if (entry.isDirectory()) rmdirSync(path);
    else if (lstatSync(path).size > SMALL_BYTES) return false;
    else unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
