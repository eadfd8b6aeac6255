import { hash, randomBytes } from 'node:crypto';

/** So many units may be spent within a window; they come back evenly, one every `seconds / units`. */
export interface Quota {
  /** As the fields RateLimit and RateLimit-Policy name it. */
  readonly name: string;
  readonly units: number;
  readonly seconds: number;
}

/** How much is left of a quota. */
export interface Allowance {
  readonly quota: Quota;
  readonly remaining: number;
  /** Seconds until all of it is back. */
  readonly reset: number;
}

export type Decision =
  | ({ readonly allowed: true } & Allowance)
  | ({ readonly allowed: false; /** Seconds until this would be allowed. */ readonly retryAfter: number } & Allowance);

const ROWS = 4;
const COLUMNS = 65_536;

/**
 * Limits by key with the generic cell rate algorithm: all that is kept of a key is the moment at which its quota is whole
 * again. These moments stand in a count-min sketch, 2 MiB whatever happens, with a hash that only this process knows.
 * So many keys cost no more than few, and no counter gives way to another: a key is never allowed more than its quota.
 * It is allowed less when each of its four places is shared with a busy key: 1 key in 10,000 while 7,000 others are busy.
 *
 * In the memory of this process: with n processes behind one address a caller is allowed up to n times as much.
 */
export class RateLimiter {
  readonly quota: Quota;
  readonly #now: () => number;
  readonly #seed = randomBytes(16).toString('hex');
  readonly #wholeAt = Array.from({ length: ROWS }, () => new Float64Array(COLUMNS));

  /** `now` in epoch milliseconds. */
  constructor(quota: Quota, now: () => number) {
    this.quota = quota;
    this.#now = elapsed(now);
  }

  /** Spends `cost` units of `key`, out of its own number of units if it has one, or nothing when there are not so many left. */
  take(key: string, cost = 1, units = this.quota.units): Decision {
    const decision = this.look(key, cost, units);
    if (decision.allowed) this.spend(key, cost, units);
    return decision;
  }

  /** What `take` would say; spends nothing. */
  look(key: string, cost = 1, units = this.quota.units): Decision {
    const quota = { ...this.quota, units };
    const perUnit = perUnitOf(quota);
    const now = this.#now();
    const window = this.quota.seconds * 1000;
    const wholeAt = Math.max(now, this.#read(this.#places(key)));
    const after = wholeAt + cost * perUnit;
    const excess = after - now - window;
    // A thousandth of a unit: sums of fractions are not exact.
    if (excess <= perUnit / 1000) return { allowed: true, ...allowanceOf(quota, after - now) };
    return { allowed: false, retryAfter: Math.ceil(excess / 1000), ...allowanceOf(quota, wholeAt - now) };
  }

  /** Spends `cost` units of `key`, which `look` has allowed. */
  spend(key: string, cost = 1, units = this.quota.units): void {
    const places = this.#places(key);
    const wholeAt = Math.max(this.#now(), this.#read(places)) + cost * perUnitOf({ ...this.quota, units });
    this.#wholeAt.forEach((row, index) => {
      const place = places[index] ?? 0;
      row[place] = Math.max(row[place] ?? 0, wholeAt);
    });
  }

  #places(key: string): Uint16Array {
    const digest = hash('sha256', this.#seed + key, 'buffer');
    return Uint16Array.from({ length: ROWS }, (_none, index) => digest.readUInt16LE(index * 2));
  }

  /** The least of the places: all are at least as high as what this key has spent. */
  #read(places: Uint16Array): number {
    return Math.min(...this.#wholeAt.map((row, index) => row[places[index] ?? 0] ?? 0));
  }
}

/**
 * Milliseconds from here on, so that fractions are exact enough. A clock that is set back stands still for a moment:
 * otherwise nobody would be allowed anything until it has caught up.
 */
function elapsed(now: () => number): () => number {
  let start = now();
  let last = start;
  return () => {
    const time = now();
    if (time < last) start -= last - time;
    last = time;
    return time - start;
  };
}

/** Milliseconds after which one unit is back. */
function perUnitOf({ seconds, units }: Quota): number {
  return (seconds * 1000) / units;
}

function allowanceOf(quota: Quota, owed: number): Allowance {
  const remaining = Math.floor((quota.seconds * 1000 - owed) / perUnitOf(quota) + 0.001);
  return { quota, remaining: Math.max(0, remaining), reset: Math.max(0, Math.ceil(owed / 1000)) };
}
