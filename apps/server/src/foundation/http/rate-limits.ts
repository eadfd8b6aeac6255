import type { RateLimitSettings } from '../config/index.ts';
import { networkOf } from './network.ts';
import { Problem } from './problem.ts';
import { RateLimiter, type Decision, type Quota } from './rate-limiter.ts';

/** What an endpoint declares whose calls count as looking people up. */
export interface Lookup<B = unknown> {
  /** Units that a call costs, as many as it looks up or lets its caller guess. */
  readonly cost: number;
  /** The same, where only the body tells; `cost` is then what is asked for before the body is read, and part of it. */
  readonly costOfBody?: (body: B) => number;
}

/** A limit that a caller has of its own. */
export interface OwnLimit {
  readonly key: string;
  /** A minute. */
  readonly units: number;
}

/** Who makes a request, as limits see it. */
export interface Spender {
  /** Person or application; null for anyone. */
  readonly caller: string | null;
  readonly address: string;
  readonly own: OwnLimit | null;
}

const MINUTE = 60;
const CALLERS_PER_NETWORK = 10;

type Rule = readonly [limiter: RateLimiter, key: string, cost: number, units?: number];

/**
 * The limits of one interface: on looking people up always, by caller and by network, and by network alone for who has not
 * signed in; on requests at large when
 * configured, by caller.
 */
export class RateLimits {
  readonly #lookups: RateLimiter;
  readonly #networks: RateLimiter;
  readonly #strangers: RateLimiter;
  readonly #requests: RateLimiter | null;
  readonly #own: RateLimiter;

  constructor({ lookups, requests }: RateLimitSettings, now: () => number) {
    const limiter = (name: string, units: number): RateLimiter =>
      new RateLimiter({ name, units, seconds: MINUTE }, now);
    this.#lookups = limiter('lookups', lookups);
    this.#networks = limiter('lookups-of-network', lookups * CALLERS_PER_NETWORK);
    this.#strangers = limiter('lookups-of-strangers', lookups * CALLERS_PER_NETWORK);
    this.#own = limiter('subscription', 1);
    this.#requests = requests === null ? null : limiter('requests', requests);
  }

  /** Whether a request to such an endpoint is limited at all. */
  applyTo(lookup: Lookup | undefined): boolean {
    return lookup !== undefined || this.#requests !== null;
  }

  /** Counts a request that costs so many units of looking up. Returns the fields of its answer; throws too-many-requests. */
  request(spender: Spender, lookups: number): Record<string, string> {
    const { caller, own } = spender;
    const rules: Rule[] = this.#requests && caller !== null ? [[this.#requests, caller, 1]] : [];
    if (own) rules.push([this.#own, own.key, 1, own.units]);
    return spend([...rules, ...this.#rulesOf(spender, lookups)]);
  }

  /** Counts what a request turns out to look up beyond what `request` has counted. */
  lookups(spender: Spender, lookups: number): Record<string, string> {
    return spend(this.#rulesOf(spender, lookups));
  }

  #rulesOf({ caller, address }: Spender, cost: number): Rule[] {
    if (cost <= 0) return [];
    const network = networkOf(address);
    // Whoever is nobody in particular has a budget of their own: they take nothing from people of the same network.
    if (caller === null) return [[this.#strangers, network, cost]];
    return [
      [this.#lookups, caller, cost],
      [this.#networks, network, cost],
    ];
  }
}

/** Spends by all rules or by none: who is refused by one takes nothing from those who share another. */
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

/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10): every policy, and how the tightest stands. */
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
