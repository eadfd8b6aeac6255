import { LimitedMap } from '../storage/index.ts';

export interface Entry<V> {
  readonly value: V | null;
  /** Until it is forgotten: then it may have changed. */
  readonly isRemembered: boolean;
}

interface OwnEntry<V> {
  readonly value: V | null;
  isRemembered: boolean;
}

/** Values loaded by key and remembered until they are forgotten; callers that ask at the same time share one load. */
export class Remembered<V> {
  readonly #load: (key: string) => Promise<V | null>;
  readonly #entries: LimitedMap<OwnEntry<V>>;
  readonly #loading = new Map<string, Promise<Entry<V>>>();

  constructor(load: (key: string) => Promise<V | null>, most: number) {
    this.#load = load;
    this.#entries = new LimitedMap(most, {
      // Whoever asks for what is not there must not take the place of what is.
      isOver: ({ value }) => value === null,
      onLeft: (entry) => {
        entry.isRemembered = false;
      },
    });
  }

  get(key: string): Promise<V | null> | V | null {
    const entry = this.entry(key);
    return entry instanceof Promise ? entry.then(({ value }) => value) : entry.value;
  }

  /** The same, with whether it is still remembered. */
  entry(key: string): Promise<Entry<V>> | Entry<V> {
    return this.#entries.get(key) ?? this.#loading.get(key) ?? this.#fill(key);
  }

  #fill(key: string): Promise<Entry<V>> {
    const loading = this.#load(key)
      .then((value) => {
        const entry: OwnEntry<V> = { value, isRemembered: false };
        // Forgotten while it was being loaded: what was read may be from before the change.
        if (this.#loading.get(key) === loading) entry.isRemembered = this.#entries.set(key, entry);
        return entry;
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
