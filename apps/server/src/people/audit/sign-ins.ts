import { sql } from 'kysely';
import { findDeletion, lockAccount } from '../deletions/index.ts';
import { networkOf } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import type { SignInAction } from './record.ts';

/** The reason of a refused sign-in. */
export type Refusal = 'WRONG_PASSWORD' | 'SWITCHED_OFF' | 'TOO_MANY';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Networks with their own entry for an account, an action and a day. Further ones share an entry. */
const MOST_NETWORKS = 20;
const OTHERS = 'other networks';
const UNKNOWN = 'unknown';
/** Refusals that may wait to be written, with and without a checked password. Further ones are merged or dropped. */
const MOST_CHECKED = 4_000;
const MOST_UNCHECKED = 500;

interface Pending {
  readonly name: string;
  readonly refusal: Refusal;
  readonly network: string;
  readonly first: number;
  times: number;
  last: number;
}

interface Entry {
  readonly action: SignInAction;
  readonly actorId: string;
  readonly outcome: string;
  readonly network: string;
  readonly first: number;
  readonly last: number;
  readonly times: number;
}

/**
 * Records sign-ins in the audit log of the account: one entry for each outcome, network and day, with a count, for at
 * most 21 networks. A flood adds few entries, and only age removes entries.
 *
 * Successes are written before the session begins. Refusals are buffered and written by `flush`, so that the duration
 * of a request does not reveal whether the account exists.
 */
export class SignInRecords {
  readonly #platform: Platform;
  readonly #findAccount: (name: string) => Promise<string | null>;
  #pending = new Map<string, Pending>();

  /** @param findAccount finds the id of the account that a name or address signs in to, or null. */
  constructor(platform: Platform, findAccount: (name: string) => Promise<string | null>) {
    this.#platform = platform;
    this.#findAccount = findAccount;
  }

  /** Records a sign-in. `address` is null if it is unknown. */
  async signedIn(accountId: string, address: string | null): Promise<void> {
    const at = this.#platform.now();
    const network = address === null ? UNKNOWN : networkOf(address);
    const action = 'session:sign-in' as const;
    const entry = { action, actorId: accountId, outcome: 'SIGNED_IN', network, first: at, last: at, times: 1 };
    await this.#platform.database.write((transaction) => this.#add(transaction, accountId, entry));
  }

  /** Buffers a refused sign-in under this name. */
  refused(name: string, refusal: Refusal, address: string | null): void {
    const network = address === null ? UNKNOWN : networkOf(address);
    if (this.#count(name, refusal, network)) return;
    // When the buffer is full, the network is dropped first, then refusals without a password check.
    this.#count(name, refusal, OTHERS);
  }

  #count(name: string, refusal: Refusal, network: string): boolean {
    const key = JSON.stringify([name, refusal, network]);
    const last = this.#platform.now();
    const known = this.#pending.get(key);
    if (known) {
      known.times += 1;
      known.last = last;
      return true;
    }
    if (this.#pending.size >= (refusal === 'TOO_MANY' ? MOST_UNCHECKED : MOST_CHECKED)) return false;
    this.#pending.set(key, { name, refusal, network, first: last, last, times: 1 });
    return true;
  }

  /** Writes the buffered refusals. After a failure the next call writes them. */
  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [key, one] of pending) {
      try {
        const accountId = await this.#findAccount(one.name);
        if (accountId !== null) await this.#write(accountId, one);
        pending.delete(key);
      } catch (error) {
        for (const [left, { ...refusal }] of pending) if (!this.#pending.has(left)) this.#pending.set(left, refusal);
        throw error;
      }
    }
  }

  async #write(accountId: string, { refusal, network, first, last, times }: Pending): Promise<void> {
    const action = 'session:refuse' as const;
    const entry = { action, actorId: UNKNOWN, outcome: refusal, network, first, last, times };
    await this.#platform.database.write((transaction) => this.#add(transaction, accountId, entry));
  }

  async #add(transaction: Queries, accountId: string, entry: Entry): Promise<void> {
    // A person who is being deleted can still sign in to repeat the deletion; no entry may remain.
    await lockAccount(this.#platform.database, transaction, accountId, 'SHARED');
    if (await findDeletion(transaction, accountId)) return;
    const day = Math.floor(entry.first / DAY_MS);
    const keyOf = (network: string): string => JSON.stringify([accountId, entry.outcome, day, network]);
    const isKnown = await transaction
      .selectFrom('audit_entries')
      .select('id')
      .where('merged_under', '=', keyOf(entry.network))
      .executeTakeFirst();
    const network =
      isKnown || (await networksOf(transaction, accountId, entry, day * DAY_MS)) < MOST_NETWORKS
        ? entry.network
        : OTHERS;
    await transaction
      .insertInto('audit_entries')
      .values({
        id: this.#platform.newId(),
        owner_type: 'USER',
        owner_id: accountId,
        actor_id: entry.actorId,
        action: entry.action,
        resource_id: accountId,
        detail: JSON.stringify({ outcome: entry.outcome, network }),
        created_at: entry.first,
        merged_under: keyOf(network),
        times: entry.times,
        last_at: entry.last,
      })
      .onConflict((conflict) =>
        conflict.column('merged_under').doUpdateSet({
          times: sql<number>`audit_entries.times + excluded.times`,
          last_at: sql<number>`case when audit_entries.last_at > excluded.last_at then audit_entries.last_at else excluded.last_at end`,
        }),
      )
      .execute();
  }
}

/** Counts the entries of an account with this action since the beginning of the day. */
async function networksOf(transaction: Queries, accountId: string, { action }: Entry, since: number): Promise<number> {
  const { count } = await transaction
    .selectFrom('audit_entries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('owner_type', '=', 'USER')
    .where('owner_id', '=', accountId)
    .where('action', '=', action)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}
