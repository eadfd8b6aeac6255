import { Problem } from './problem.ts';

/** Part of the memory for bodies that one caller may hold. */
const SHARE = 4;
/** What every request may hold uncounted, in bytes. */
export const UNCOUNTED_BYTES = 64 * 1024;

/** Counts the bytes of request bodies that are in memory, all together and by caller. */
export class BodyMemory {
  readonly #most: number;
  readonly #used = new Map<string, number>();
  #all = 0;

  constructor(bytes: number) {
    this.#most = bytes;
  }

  /** Throws too-many-requests when so many more bytes would be too many, of this caller or of all. */
  take(caller: string, bytes: number): void {
    const own = (this.#used.get(caller) ?? 0) + bytes;
    if (own > this.#most / SHARE || this.#all + bytes > this.#most)
      throw new Problem('too-many-requests', 'Too many large bodies are being read at the moment. Try again soon.', {
        headers: { 'retry-after': '2' },
      });
    this.#used.set(caller, own);
    this.#all += bytes;
  }

  release(caller: string, bytes: number): void {
    const left = (this.#used.get(caller) ?? 0) - bytes;
    if (left > 0) this.#used.set(caller, left);
    else this.#used.delete(caller);
    this.#all -= bytes;
  }
}
