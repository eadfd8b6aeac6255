/** A timer that progress puts off. */
export class Deadline {
  #timer: NodeJS.Timeout | null = null;
  readonly #passed: () => void;

  constructor(passed: () => void) {
    this.#passed = passed;
  }

  /** From now on `ms` without progress are too long. */
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
