/**
 * A question that many ask at the same time. Whoever asks gets an answer that was sought after they had asked; at most one
 * search is under way and one waits for it.
 */
export class Coalesced<T> {
  readonly #seek: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(seek: () => Promise<T>) {
    this.#seek = seek;
  }

  /** Whether nobody waits for an answer. */
  get isIdle(): boolean {
    return this.#running === null && this.#next === null;
  }

  ask(): Promise<T> {
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<T> {
    this.#next = null;
    const running = this.#seek().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
