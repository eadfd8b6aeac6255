import { createHmac, randomBytes } from 'node:crypto';
import { networkOf } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { findFailures, isFamiliar, purgeAttempts, recordFailure, recordFamiliar } from './attempts-queries.ts';
import { keepSecret } from './kept-secret.ts';

/** Milliseconds after its first failure at which a counter starts again. */
const WINDOW_MS = 5 * 60 * 1000;
/**
 * Wrong passwords for one account from one network; more are refused. Guesses from other networks do not block the
 * owner.
 */
const PER_ACCOUNT_AND_NETWORK = 10;
/** Wrong passwords from one network for all accounts; more are refused. People behind one proxy share the counter. */
const PER_NETWORK = 100;
/** Wrong passwords for one account from all networks that are new to it; more are refused. Bounds a botnet. */
const PER_ACCOUNT = 100;
/** Milliseconds for which a network counts as known to an account after a sign-in from it. */
const FAMILIAR_MS = 90 * 24 * 60 * 60 * 1000;

type Attempt<T> = { readonly retryAfter: number } | { readonly outcome: T | null };

interface Keys {
  readonly account: string;
  /** `network` and `pair` are null if the network is unknown. */
  readonly network: string | null;
  readonly pair: string | null;
}

/**
 * Throttles wrong passwords over windows of 5 minutes. An account is blocked for the rest of a window at most, and
 * never for networks that its owner has signed in from before. The counters are in the database, so that all
 * processes share them. They are written on failures only: each failure costs the attacker a password hash, which
 * bounds the rows. Keys are stored as HMACs, so a row does not reveal whose account or network it is about.
 */
export class Attempts {
  readonly #platform: Platform;
  /** Attempts of this process without an outcome yet, by key. */
  readonly #open = new Map<string, number>();
  #secret: Promise<string> | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Calls `check`, which returns null for a wrong password. Returns the seconds to wait if there were too many wrong
   * ones. An attempt counts as wrong until its outcome is known, so that parallel guesses are counted. Without an
   * address only the account counts.
   */
  async make<T>(account: string, address: string | null, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const keys = await this.#keysOf(account, address === null ? null : networkOf(address));
    const all = known(keys);
    const before = new Map(all.map((key) => [key, this.#open.get(key) ?? 0]));
    for (const key of all) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    try {
      const retryAfter = await this.#wait(keys, before);
      if (retryAfter !== null) {
        this.#platform.telemetry.metrics?.signInFailed();
        return { retryAfter };
      }
      const outcome = await check();
      if (outcome === null) this.#platform.telemetry.metrics?.signInFailed();
      await this.#record(keys, outcome !== null);
      return { outcome };
    } finally {
      for (const key of all) this.#close(key);
    }
  }

  /** Deletes expired counters. */
  purge(): Promise<void> {
    return purgeAttempts(this.#platform.database, this.#platform.now());
  }

  async #wait({ network, pair, account }: Keys, before: ReadonlyMap<string, number>): Promise<number | null> {
    const { database, now } = this.#platform;
    const failures = await findFailures(database.read, known({ network, pair, account }), now(), WINDOW_MS);
    const full = (key: string | null, most: number): number | null => {
      if (key === null) return null;
      const row = failures.get(key);
      if ((row?.failures ?? 0) + (before.get(key) ?? 0) < most) return null;
      return row ? Math.ceil((row.expires_at - now()) / 1000) : 1;
    };
    const wait = full(network, PER_NETWORK) ?? full(pair, PER_ACCOUNT_AND_NETWORK);
    if (wait !== null) return wait;
    const attacked = full(account, PER_ACCOUNT);
    if (attacked === null || pair === null) return attacked;
    return (await isFamiliar(database.read, pair, now())) ? null : attacked;
  }

  async #record({ network, account, pair }: Keys, right: boolean): Promise<void> {
    const { database, now } = this.#platform;
    if (right) return pair === null ? undefined : recordFamiliar(database, pair, now(), FAMILIAR_MS);
    // All processes lock the rows in the same order, which rules out deadlocks.
    const keys = known({ network, account, pair }).sort();
    return recordFailure(database, keys, now(), WINDOW_MS);
  }

  #close(key: string): void {
    const left = (this.#open.get(key) ?? 1) - 1;
    if (left === 0) this.#open.delete(key);
    else this.#open.set(key, left);
  }

  async #keysOf(account: string, network: string | null): Promise<Keys> {
    this.#secret ??= keepSecret(this.#platform, 'sign-in-attempts', randomBytes(32).toString('base64url'));
    const secret = await this.#secret;
    const key = (...parts: string[]): string =>
      createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
    if (network === null) return { account: key('account', account), network: null, pair: null };
    return { network: key('network', network), account: key('account', account), pair: key('pair', network, account) };
  }
}

function known({ network, account, pair }: Keys): string[] {
  return [network, account, pair].filter((key) => key !== null);
}
