interface Clocks {
  /** Epoch milliseconds, which somebody may set. */
  wall(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
}

const machine: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * How long an execution runs, which is billed and limited: measured on the clock that nobody sets. The clock of the machine
 * says when it began, and for one that an earlier runner has started, how long that is ago.
 */
export class RunTime {
  readonly startedAt: number;
  readonly #clocks: Clocks;
  readonly #before: number;
  readonly #began: number;

  /** @param startedAt when an earlier runner has started it; now when left out. */
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

  /** Epoch milliseconds; never before the start. */
  get now(): number {
    return this.startedAt + this.elapsedMs;
  }
}
