/** Values loaded by key and remembered until they are forgotten; callers that ask at the same time share one load. */
export class Remembered<V> {
  readonly #load: (key: string) => Promise<V | null>;
  readonly #most: number;
  readonly #entries = new Map<string, { readonly value: V | null }>();
  readonly #loading = new Map<string, Promise<V | null>>();

  constructor(load: (key: string) => Promise<V | null>, most: number) {
    this.#load = load;
    this.#most = most;
  }

  get(key: string): Promise<V | null> | V | null {
    const entry = this.#entries.get(key);
    if (entry) return entry.value;
    return this.#loading.get(key) ?? this.#fill(key);
  }

  #fill(key: string): Promise<V | null> {
    const loading = this.#load(key)
      .then((value) => {
        // Forgotten while it was being loaded: what was read may be from before the change.
        if (this.#loading.get(key) === loading) {
          this.#entries.set(key, { value });
          const [oldest] = this.#entries.keys();
          if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
        }
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }

  forget(key: string): void {
    this.#entries.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#loading.clear();
  }
}
