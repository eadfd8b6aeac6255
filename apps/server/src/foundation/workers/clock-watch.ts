/** Milliseconds of difference that no time service makes at once. */
const SET_MS = 60_000;

/** Notices when the clock of this machine is set: it then differs from the monotonic clock by another amount. */
export class ClockWatch {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  #offset: number;

  constructor(now: () => number, elapsed: () => number = () => performance.now()) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#offset = now() - elapsed();
  }

  /** A sentence for the operator if the clock was set since the last look; else null. */
  look(): string | null {
    const offset = this.#now() - this.#elapsed();
    const set = offset - this.#offset;
    this.#offset = offset;
    if (Math.abs(set) < SET_MS) return null;
    const minutes = Math.round(Math.abs(set) / 60_000);
    return set > 0
      ? `the clock of this machine has gone forward by ${minutes} minutes: it was set, or the machine slept. Check its time service. Timers, keys and results whose time has come by it have ended`
      : `the clock of this machine was set back by ${minutes} minutes. Check its time service. Timers that were set before wait for as much longer`;
  }
}
