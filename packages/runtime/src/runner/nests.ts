import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmdirSync, truncateSync, unlinkSync } from 'node:fs';
import { errorCode } from '../errors.ts';
import type { Places } from '../places.ts';
import { discard } from './discard.ts';

/** So many as are used at the same time on a busy machine of some cores. */
const MOST_SPARE = 16;
/** What no program ever had a descriptor of: emptied, it serves the next execution. */
const KEPT = new Set(['note', 'end.json.tmp']);

/**
 * Folders for sandboxes that wait, and for executions. What an execution leaves is emptied and used again: to make files and
 * folders where many are deleted takes the kernel long (ext4; in a profile under load, 4.6 ms of an execution of the runner's
 * own time). A sandbox sees the name of its folder in `/proc/self/mountinfo`: a number would tell how many there were. The
 * output folder is made anew, as the program may have left there more than files (attributes, access lists).
 */
export class Nests {
  readonly #places: Places;
  readonly #spare: string[] = [];
  #made = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** A folder outside of any execution, without `output`. */
  make(): string {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    const nest = `${this.#places.nests}/${randomUUID()}`;
    mkdirSync(nest, { mode: 0o711 });
    chmodSync(nest, 0o711); // whatever the umask
    return nest;
  }

  /** Takes the folder of an execution away at once, so that the id is free; deleting what is in it can take long. */
  takeBack(folder: string): void {
    const trash = `${this.#places.trash}/${process.pid}-${++this.#made}`;
    try {
      renameSync(folder, trash);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    if (this.#spare.length >= MOST_SPARE || !this.#isCleared(trash)) {
      discard(trash);
      return;
    }
    const nest = `${this.#places.nests}/${randomUUID()}`;
    renameSync(trash, nest);
    this.#spare.push(nest);
  }

  /** False when there is more in it than a small execution leaves. */
  #isCleared(folder: string): boolean {
    try {
      rmdirSync(`${folder}/output`); // not empty: its files may be many and large
      for (const name of readdirSync(folder)) {
        if (name === 'end.json') {
          renameSync(`${folder}/end.json`, `${folder}/end.json.tmp`);
          truncateSync(`${folder}/end.json.tmp`);
        } else if (KEPT.has(name)) truncateSync(`${folder}/${name}`);
        else unlinkSync(`${folder}/${name}`);
      }
      return true;
    } catch {
      return false;
    }
  }
}
