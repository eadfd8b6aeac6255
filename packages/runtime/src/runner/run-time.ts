import { elapsedSince, machine, momentNow, type Clocks, type Moment } from './moment.ts';

/**
 * The run time of an execution, which is billed and limited. It is measured on the monotonic clock, which nobody can
 * set. The wall clock gives only the start.
 */
export class RunTime {
  readonly startedAt: number;
  readonly #clocks: Clocks;
  readonly #before: number;
  readonly #began: number;

  /** @param start set when an earlier runner has started it; otherwise now. */
  constructor(start?: Moment, clocks: Clocks = machine) {
    this.#clocks = clocks;
    const { at } = start ?? momentNow(clocks);
    this.startedAt = at;
    this.#before = start === undefined ? 0 : elapsedSince(start, clocks);
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
