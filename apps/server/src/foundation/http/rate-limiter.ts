/** Allows `units` within a window of `seconds`. One unit is refilled every `seconds / units`. */
export interface Quota {
  /** Name of the policy in the headers RateLimit and RateLimit-Policy. */
  readonly name: string;
  readonly units: number;
  readonly seconds: number;
}

/** The unspent part of a quota. */
interface Allowance {
  readonly quota: Quota;
  readonly remaining: number;
  /** Seconds until the quota is full again. */
  readonly reset: number;
}

export type Decision =
  | ({ readonly allowed: true } & Allowance)
  | ({ readonly allowed: false; /** Seconds until this would be allowed. */ readonly retryAfter: number } & Allowance);

/**
 * Keys in a generation. One more starts the next generation early, and keys of the dropped generation have full
 * quotas.
 */
const MAX_KEYS = 500_000;

/**
 * Rate limits by key with the generic cell rate algorithm: for each key only the time is stored at which its quota is
 * full again. Keys are kept in two generations. After a window the older one is dropped: the quotas of all its keys
 * are full.
 *
 * Each process counts for itself: with n processes behind one address a caller is allowed up to n times as much.
 */
export class RateLimiter {
  readonly quota: Quota;
  readonly #now: () => number;
  /** Time at which the quota of each key is full again, in milliseconds of `#now`. */
  #current = new Map<string, number>();
  #previous = new Map<string, number>();
  /** Time at which `#current` was started. */
  #startedAt = 0;

  /** `now` in epoch milliseconds. */
  constructor(quota: Quota, now: () => number) {
    this.quota = quota;
    this.#now = elapsed(now);
  }

  /** Spends `cost` units of `key`, or nothing if fewer are left. `units` overrides the quota for this key. */
  take(key: string, cost = 1, units = this.quota.units): Decision {
    const decision = this.look(key, cost, units);
    if (decision.allowed) this.spend(key, cost, units);
    return decision;
  }

  /** The decision that `take` would make; spends nothing. */
  look(key: string, cost = 1, units = this.quota.units): Decision {
    const quota = { ...this.quota, units };
    const perUnit = perUnitOf(quota);
    const now = this.#now();
    const window = this.quota.seconds * 1000;
    const wholeAt = this.#wholeAt(key, now);
    const after = wholeAt + cost * perUnit;
    const excess = after - now - window;
    // A thousandth of a unit is tolerated, because sums of fractions are not exact.
    if (excess <= perUnit / 1000) return { allowed: true, ...allowanceOf(quota, after - now) };
    return { allowed: false, retryAfter: Math.ceil(excess / 1000), ...allowanceOf(quota, wholeAt - now) };
  }

  /** Spends `cost` units of `key`, which `look` has allowed. */
  spend(key: string, cost = 1, units = this.quota.units): void {
    const now = this.#now();
    const wholeAt = this.#wholeAt(key, now) + cost * perUnitOf({ ...this.quota, units });
    if (now - this.#startedAt >= this.quota.seconds * 1000 || this.#current.size >= MAX_KEYS) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#startedAt = now;
    }
    this.#current.set(key, wholeAt);
  }

  #wholeAt(key: string, now: number): number {
    return Math.max(now, this.#current.get(key) ?? this.#previous.get(key) ?? 0);
  }
}

/**
 * A clock of the milliseconds since this call, small enough for exact fractions. It stands still while the system
 * clock goes back: otherwise every caller would be refused until the system clock has caught up.
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

/** Milliseconds in which one unit is refilled. */
function perUnitOf({ seconds, units }: Quota): number {
  return (seconds * 1000) / units;
}

function allowanceOf(quota: Quota, owed: number): Allowance {
  const remaining = Math.floor((quota.seconds * 1000 - owed) / perUnitOf(quota) + 0.001);
  return { quota, remaining: Math.max(0, remaining), reset: Math.max(0, Math.ceil(owed / 1000)) };
}
