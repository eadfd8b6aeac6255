/** A loading cache with a maximum age. Concurrent reads of a key share one load; failures are not cached. */
export class LoadingCache<T> {
  readonly #kept = new Map<string, { readonly asked: number; readonly answer: Promise<T> }>();
  readonly #limits: { readonly ageMs: number; readonly most: number; readonly now: () => number };

  constructor(limits: { ageMs: number; most: number; now: () => number }) {
    this.#limits = limits;
  }

  /** The value of `key`, loaded with `ask` if the cached one is older than `ageMs`. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const { ageMs, most, now } = this.#limits;
    const known = this.#kept.get(key);
    const age = known ? now() - known.asked : 0;
    // A negative age means that the clock was set back, and the entry is loaded again.
    if (known && age >= 0 && age < ageMs) return known.answer;
    // The age counts from the start of the load: the value may describe the state at any time since then.
    const entry = { asked: now(), answer: ask() };
    // Inserted at the end, so that the first entry is always the oldest.
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    // Callers get the error from `answer`.
    entry.answer.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry.answer;
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
