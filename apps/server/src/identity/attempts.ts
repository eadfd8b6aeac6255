import { networkOf } from '../http/index.ts';
import { digestOf } from '../storage/index.ts';

const WINDOW_MS = 5 * 60 * 1000;
/** Wrong passwords of one account from one network: whoever guesses elsewhere does not shut a person out. */
const PER_ACCOUNT_AND_NETWORK = 10;
/** Wrong passwords from one network over all accounts; people behind one proxy share it. */
const PER_NETWORK = 100;
/** Wrong passwords of one account from all networks on which nobody has signed in to it: bounds a guessing botnet. */
const PER_ACCOUNT = 100;
const MOST_COUNTERS = 50_000;
const MOST_FAMILIAR = 50_000;

interface Counter {
  failures: number;
  readonly resetAt: number;
}

/**
 * Throttles wrong passwords over windows of 5 minutes. Nobody is shut out for longer than the rest of a window, and the
 * owner of an account under attack not at all from a network they have signed in from before. In the memory of this
 * process: a restart forgets, and of several processes each counts for itself. The oldest entries give way when there
 * are too many; keys are digests, so that long names take no room.
 */
export class Attempts {
  readonly #counters = new Map<string, Counter>();
  readonly #familiar = new Set<string>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Begins an attempt; it counts as failed until `succeeded` is called, so that parallel guesses do not slip through.
   * Returns the seconds to wait instead when there were too many.
   */
  begin(account: string, address: string): { retryAfter: number } | { succeeded: () => void } {
    const network = networkOf(address);
    const pair = digestOf(`${network} ${account}`);
    const rules: [key: string, most: number][] = [
      // The network first: one that is full makes no further counters.
      [network, PER_NETWORK],
      [pair, PER_ACCOUNT_AND_NETWORK],
    ];
    if (!this.#familiar.has(pair)) rules.push([digestOf(account), PER_ACCOUNT]);
    const counters: Counter[] = [];
    for (const [key, most] of rules) {
      const counter = this.#counter(key);
      if (counter.failures >= most) return { retryAfter: Math.ceil((counter.resetAt - this.#now()) / 1000) };
      counters.push(counter);
    }
    for (const counter of counters) counter.failures += 1;
    return {
      succeeded: () => {
        for (const counter of counters) counter.failures -= 1;
        this.#familiar.delete(pair);
        this.#familiar.add(pair);
        dropOldest(this.#familiar, MOST_FAMILIAR);
      },
    };
  }

  #counter(key: string): Counter {
    const known = this.#counters.get(key);
    if (known && known.resetAt > this.#now()) return known;
    const fresh = { failures: 0, resetAt: this.#now() + WINDOW_MS };
    this.#counters.delete(key);
    this.#counters.set(key, fresh);
    dropOldest(this.#counters, MOST_COUNTERS);
    return fresh;
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
