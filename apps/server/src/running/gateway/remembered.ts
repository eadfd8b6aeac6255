import { LimitedMap } from '../../foundation/storage/index.ts';

/** Values loaded by key and remembered until they are forgotten; callers that ask at the same time share one load. */
export class Remembered<V> {
  readonly #load: (key: string) => Promise<V | null>;
  readonly #values: LimitedMap<V | null>;
  readonly #loading = new Map<string, Promise<V | null>>();
  readonly #mark: (value: V, isRemembered: boolean) => void;

  /** @param mark is told when a value begins and ends to be remembered; one that never is, is not marked. */
  constructor(
    load: (key: string) => Promise<V | null>,
    most: number,
    mark: (value: V, isRemembered: boolean) => void = () => undefined,
  ) {
    this.#load = load;
    this.#mark = mark;
    this.#values = new LimitedMap(most, {
      // Whoever asks for what is not there must not take the place of what is.
      isOver: (value) => value === null,
      onLeft: (value) => {
        if (value !== null) mark(value, false);
      },
    });
  }

  get(key: string): Promise<V | null> | V | null {
    const value = this.#values.get(key);
    return value === undefined ? (this.#loading.get(key) ?? this.#fill(key)) : value;
  }

  #fill(key: string): Promise<V | null> {
    const loading = this.#load(key)
      .then((value) => {
        // Forgotten while it was being loaded: what was read may be from before the change.
        const isRemembered = this.#loading.get(key) === loading && this.#values.set(key, value);
        if (isRemembered && value !== null) this.#mark(value, true);
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }

  forget(key: string): void {
    this.#values.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#loading.clear();
  }
}
