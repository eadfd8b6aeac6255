/** A timer that every progress restarts. */
export class Deadline {
  #timer: NodeJS.Timeout | null = null;
  readonly #passed: () => void;

  constructor(passed: () => void) {
    this.#passed = passed;
  }

  /** Calls `passed` after `ms` milliseconds without progress. */
  set(ms: number): void {
    this.clear();
    this.#timer = setTimeout(this.#passed, ms);
  }

  progress(): void {
    this.#timer?.refresh();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
