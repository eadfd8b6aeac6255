import { LRUCache } from 'lru-cache';

/** Loads values by key and caches them. Concurrent callers of one key share a load; a load that fails is not cached. */
export class LoadingCache<V> {
  readonly #load: (key: string) => Promise<V>;
  readonly #values: LRUCache<string, Promise<V>>;

  /** `max` values are cached; one more evicts the least recently used one. */
  constructor(load: (key: string) => Promise<V>, max: number) {
    this.#load = load;
    // A cache with `max` would have its arrays in full length from the beginning, and fill them each time it is cleared.
    this.#values = new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
  }

  get(key: string): Promise<V> {
    const cached = this.#values.get(key);
    if (cached) return cached;
    const loading = this.#load(key);
    this.#values.set(key, loading);
    loading.catch(() => {
      if (this.#values.peek(key) === loading) this.#values.delete(key);
    });
    return loading;
  }

  /**
   * Makes the next caller load the value anew. A load under way does not count: it may have read the value of before.
   */
  delete(key: string): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
