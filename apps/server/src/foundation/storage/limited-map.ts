/** Of those who come when it is full. */
const TAKEN_IN = 1 / 16;

export interface LimitedMapOptions<V> {
  /** Says of what there is no use for any more: it gives way to any newcomer. */
  readonly isOver?: (value: V) => boolean;
  /** Is told of every value that leaves, whatever the reason. */
  readonly onLeft?: (value: V) => void;
}

/**
 * What is remembered of much, within a limit. Full, it takes one of sixteen newcomers, in the place of the oldest: with
 * half as many keys again as places, asked for in turns, two thirds are still found. Were each newcomer taken in, none
 * would be found: it would always have left just before its turn.
 */
export class LimitedMap<V> {
  readonly #most: number;
  readonly #options: LimitedMapOptions<V>;
  readonly #entries = new Map<string, V>();

  constructor(most: number, options: LimitedMapOptions<V> = {}) {
    this.#most = most;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Returns whether it is remembered. What was there under the key is replaced in any case. */
  set(key: string, value: V): boolean {
    this.delete(key);
    if (this.#entries.size >= this.#most && !this.#makeRoom()) return false;
    this.#entries.set(key, value);
    return true;
  }

  /** Puts another value in the place of the one that is there; where none is, none comes. */
  replace(key: string, value: V): void {
    const left = this.#entries.get(key);
    if (left === undefined) return;
    this.#entries.set(key, value);
    this.#options.onLeft?.(left);
  }

  #makeRoom(): boolean {
    // A Map keeps the order of insertion.
    for (const [oldest, value] of this.#entries) {
      if (!this.#options.isOver?.(value) && Math.random() >= TAKEN_IN) return false;
      this.delete(oldest);
      break;
    }
    return true;
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (this.#entries.delete(key) && value !== undefined) this.#options.onLeft?.(value);
  }

  clear(): void {
    const left = [...this.#entries.values()];
    this.#entries.clear();
    for (const value of left) this.#options.onLeft?.(value);
  }
}
