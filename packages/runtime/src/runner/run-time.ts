interface Clocks {
  /** Epoch milliseconds. Somebody may set this clock. */
  wall(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
}

const machine: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The run time of an execution, which is billed and limited. It is measured on the monotonic clock, which nobody can
 * set. The wall clock gives only the start, and the time since then for an execution of an earlier runner.
 */
export class RunTime {
  readonly startedAt: number;
  readonly #clocks: Clocks;
  readonly #before: number;
  readonly #began: number;

  /** @param startedAt set when an earlier runner has started it; otherwise now. */
  constructor(startedAt?: number, clocks: Clocks = machine) {
    this.#clocks = clocks;
    const now = clocks.wall();
    this.startedAt = startedAt ?? now;
    this.#before = Math.max(0, now - this.startedAt);
    this.#began = clocks.monotonic();
  }

  get elapsedMs(): number {
    return this.#before + Math.round(this.#clocks.monotonic() - this.#began);
  }

  /** Epoch milliseconds, never before the start. */
  get now(): number {
    return this.startedAt + this.elapsedMs;
  }
}
