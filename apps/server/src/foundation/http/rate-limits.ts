import type { RateLimitSettings } from '../config/index.ts';
import { networkOf } from './network.ts';
import { Problem } from '@kethub/service-api';
import { RateLimiter, type Decision, type Quota } from './rate-limiter.ts';

/** Cost of a call that looks people up. */
export interface Lookup<B = unknown> {
  /** Units of a call, one for each person that it looks up or lets the caller guess. */
  readonly cost: number;
  /** Total units of a call by its body. `cost` is the part of it that is counted before the body is read. */
  readonly costOfBody?: (body: B) => number;
}

/** An individual limit of a caller. */
export interface OwnLimit {
  readonly key: string;
  /** Requests a minute. */
  readonly units: number;
}

/** The caller of a request, as the limits identify it. */
export interface Spender {
  /** Id of the person or application; null for an anonymous caller. */
  readonly caller: string | null;
  readonly address: string;
  readonly own: OwnLimit | null;
}

const MINUTE = 60;
const CALLERS_PER_NETWORK = 10;
/** Requests a minute of all visitors of one network; then 429. A page takes four or five. */
const VISITS = 600;

type Rule = readonly [limiter: RateLimiter, key: string, cost: number, units?: number];

/**
 * Limits of one interface. Lookups of people are limited by caller and by network, for anonymous callers by network
 * alone. Requests of visitors are limited by network, all others by caller, if that is configured.
 */
export class RateLimits {
  readonly #lookups: RateLimiter;
  readonly #networks: RateLimiter;
  readonly #strangers: RateLimiter;
  readonly #requests: RateLimiter | null;
  readonly #own: RateLimiter;
  readonly #visits: RateLimiter;

  constructor({ lookups, requests }: RateLimitSettings, now: () => number) {
    const limiter = (name: string, units: number): RateLimiter =>
      new RateLimiter({ name, units, seconds: MINUTE }, now);
    this.#lookups = limiter('lookups', lookups);
    this.#networks = limiter('lookups-of-network', lookups * CALLERS_PER_NETWORK);
    this.#strangers = limiter('lookups-of-strangers', lookups * CALLERS_PER_NETWORK);
    this.#own = limiter('subscription', 1);
    this.#visits = limiter('visitors', VISITS);
    this.#requests = requests === null ? null : limiter('requests', requests);
  }

  /** Returns whether requests to an endpoint with this `lookup` are limited. */
  applyTo(lookup: Lookup | undefined): boolean {
    return lookup !== undefined || this.#requests !== null;
  }

  /** Counts a request that costs `lookups` units. Returns the headers of its answer; throws too-many-requests. */
  request(spender: Spender, lookups: number): Record<string, string> {
    const { caller, own } = spender;
    const rules: Rule[] = this.#requests && caller !== null ? [[this.#requests, caller, 1]] : [];
    if (own) rules.push([this.#own, own.key, 1, own.units]);
    return spend([...rules, ...this.#rulesOf(spender, lookups)]);
  }

  /** Counts a request of somebody without a credential. Returns the headers of its answer; throws too-many-requests. */
  visit(address: string): Record<string, string> {
    return spend([[this.#visits, networkOf(address), 1]]);
  }

  /** Counts lookups of a request beyond those that `request` has counted. */
  lookups(spender: Spender, lookups: number): Record<string, string> {
    return spend(this.#rulesOf(spender, lookups));
  }

  #rulesOf({ caller, address }: Spender, cost: number): Rule[] {
    if (cost <= 0) return [];
    const network = networkOf(address);
    // Anonymous callers have a separate quota, so that they take nothing from signed-in people of the same network.
    if (caller === null) return [[this.#strangers, network, cost]];
    return [
      [this.#lookups, caller, cost],
      [this.#networks, network, cost],
    ];
  }
}

/** Spends by all rules or by none: a request refused by one rule takes nothing from callers who share another. */
function spend(rules: readonly Rule[]): Record<string, string> {
  const decisions = rules.map(([limiter, key, cost, units]) => limiter.look(key, cost, units));
  const waits = decisions.flatMap((decision) => (decision.allowed ? [] : [decision.retryAfter]));
  if (waits.length > 0) throw tooMany(decisions, Math.max(...waits));
  for (const [limiter, key, cost, units] of rules) limiter.spend(key, cost, units);
  return fieldsOf(decisions);
}

function tooMany(decisions: readonly Decision[], retryAfter: number): Problem {
  const refusing = decisions.filter(({ allowed }) => !allowed).map(({ quota }) => quota);
  const limits = refusing.map(({ name, units }) => `${units} a minute (${name})`).join(' and ');
  return new Problem('too-many-requests', `The limit is ${limits}. Try again in ${retryAfter} seconds.`, {
    headers: { ...fieldsOf(decisions), 'retry-after': String(retryAfter) },
  });
}

/** RateLimit-Policy with all policies, and RateLimit with the tightest (draft-ietf-httpapi-ratelimit-headers-10). */
function fieldsOf(decisions: readonly Decision[]): Record<string, string> {
  const share = ({ remaining, quota }: Decision): number => remaining / quota.units;
  const [tightest] = decisions.toSorted((a, b) => share(a) - share(b));
  if (!tightest) return {};
  const { quota, remaining, reset } = tightest;
  return {
    'ratelimit-policy': decisions.map((decision) => policy(decision.quota)).join(', '),
    ratelimit: `"${quota.name}";r=${remaining};t=${reset}`,
  };
}

function policy({ name, units, seconds }: Quota): string {
  return `"${name}";q=${units};w=${seconds}`;
}
