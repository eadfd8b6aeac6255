const WINDOW_MS = 5 * 60 * 1000;
/** Wrong passwords of one account from one address: an attacker elsewhere cannot lock a person out. */
const PER_ACCOUNT_AND_ADDRESS = 10;
/** Wrong passwords from one address over all accounts; people behind one proxy share it. */
const PER_ADDRESS = 100;
const MOST_COUNTERS = 20_000;

interface Counter {
  failures: number;
  readonly resetAt: number;
}

/**
 * Throttles wrong passwords: at most 10 per account and address and 100 per address in 5 minutes. In memory of this
 * process; the oldest counters give way when there are too many.
 */
export class Attempts {
  readonly #counters = new Map<string, Counter>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Begins an attempt; it counts as failed until `succeeded` is called, so that parallel guesses do not slip through.
   * Returns the seconds to wait instead when there were too many.
   */
  begin(account: string, address: string): { retryAfter: number } | { succeeded: () => void } {
    // The address first: one that is full makes no further counters.
    const counters: Counter[] = [];
    for (const [key, most] of [
      [address, PER_ADDRESS],
      [`${account} ${address}`, PER_ACCOUNT_AND_ADDRESS],
    ] as const) {
      const counter = this.#counter(key);
      if (counter.failures >= most) return { retryAfter: Math.ceil((counter.resetAt - this.#now()) / 1000) };
      counters.push(counter);
    }
    for (const counter of counters) counter.failures += 1;
    return {
      succeeded() {
        for (const counter of counters) counter.failures -= 1;
      },
    };
  }

  #counter(key: string): Counter {
    const known = this.#counters.get(key);
    if (known && known.resetAt > this.#now()) return known;
    const fresh = { failures: 0, resetAt: this.#now() + WINDOW_MS };
    this.#counters.delete(key);
    this.#counters.set(key, fresh);
    if (this.#counters.size > MOST_COUNTERS) this.#dropOldest();
    return fresh;
  }

  #dropOldest(): void {
    const oldest = this.#counters.keys().next();
    if (!oldest.done) this.#counters.delete(oldest.value);
  }
}
