/**
 * Coalesces concurrent calls of a function. Each caller gets the result of a run that began after the call. At most
 * one run is in progress and one is waiting.
 */
export class Coalesced<T> {
  readonly #seek: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(seek: () => Promise<T>) {
    this.#seek = seek;
  }

  /** True if no caller is waiting. */
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
