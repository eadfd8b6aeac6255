import { Problem } from '@kethub/service-api';

/** One caller may take up a quarter of the memory for bodies; beyond that the request is answered with 429. */
const SHARE = 4;
/** Bytes of a body that are not counted; the memory of a longer body is counted from its first byte. */
export const UNCOUNTED_BYTES = 64 * 1024;

/** Counts the bytes of request bodies in memory, by caller and in total. */
export class BodyMemory {
  readonly #most: number;
  readonly #used = new Map<string, number>();
  #all = 0;

  constructor(bytes: number) {
    this.#most = bytes;
  }

  /** Adds `bytes` for `caller`. Throws too-many-requests if the caller or the total would exceed its limit. */
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
