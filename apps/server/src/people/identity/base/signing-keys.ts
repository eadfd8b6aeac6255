import type { Database, Queries } from '../../../foundation/storage/index.ts';
import type { Seal } from '../../../foundation/storage/index.ts';

const MINUTES = 60 * 1000;
/** How often a process looks which keys there are. */
const LOOK_EVERY_MS = MINUTES;
/** So long a key is known everywhere before it signs: every process looks many times, and clients renew what they keep. */
const ANNOUNCED_MS = 60 * MINUTES;
/** So much later than planned a process may have signed for the last time, and so far clocks may differ. */
const MARGIN_MS = 60 * MINUTES;

/** What keys of one use have in common. */
export interface KeyKind<K> {
  readonly purpose: string;
  /** Id of the first row; the n-th is `<name>-<n>`. */
  readonly firstId: string;
  readonly name: string;
  /** What its sealed text is sealed for. */
  readonly sealedFor: string;
  /** Longest time for which what it has signed is looked at. */
  readonly lifetimeMs: number;
  /** A new private key as text. */
  readonly make: () => Promise<string>;
  /** The key of such a text. */
  readonly open: (text: string, rowId: string) => K | Promise<K>;
}

export interface KeyStore {
  readonly database: Database;
  readonly seal: Seal;
  readonly now: () => number;
  readonly log: { warn(details: object, text: string): void };
}

/** The keys of one use. */
export interface KeySet<K> {
  readonly signing: K;
  /** All that what is looked at may be signed with, or will be soon; the signing one first. */
  readonly all: readonly K[];
}

interface StoredKey {
  readonly id: string;
  readonly sealed: string;
  readonly createdAt: number;
}

/**
 * Keys kept sealed in the database, the same in every process on it, and renewed: the successor of a key is made an hour
 * before it signs, and a key is deleted when nothing that it has signed can be valid any more. Whichever process looks
 * first does that.
 */
export class SigningKeys<K> {
  readonly #store: KeyStore;
  readonly #kind: KeyKind<K>;
  readonly #isDue: IsDue;
  readonly #opened = new Map<string, K>();
  readonly #timer: NodeJS.Timeout;
  #order = '';
  #keys: KeySet<K>;
  #looking: Promise<void> = Promise.resolve();

  private constructor(store: KeyStore, kind: KeyKind<K>, isDue: IsDue, keys: KeySet<K>) {
    this.#store = store;
    this.#kind = kind;
    this.#isDue = isDue;
    this.#keys = keys;
    this.#timer = setInterval(() => {
      this.#looking = this.look().catch((error: unknown) =>
        store.log.warn({ err: error }, 'could not look for signing keys; the next round tries again'),
      );
    }, LOOK_EVERY_MS).unref();
  }

  /** Makes the first key where there is none. `ageMs` is how long a key signs; null is for good. */
  static async open<K>(store: KeyStore, kind: KeyKind<K>, ageMs: number | null): Promise<SigningKeys<K>> {
    const rows = await renewed(store, kind, byAge(ageMs));
    const opened = new Map<string, K>();
    const keys = await openedOf(store, kind, rows, opened);
    const set = new SigningKeys(store, kind, byAge(ageMs), keys);
    set.#order = orderOf(rows);
    for (const [id, key] of opened) set.#opened.set(id, key);
    return set;
  }

  /** The same object until something has changed. */
  get keys(): KeySet<K> {
    return this.#keys;
  }

  /** Reads which keys there are, and renews them when it is time. */
  async look(): Promise<void> {
    const rows = await renewed(this.#store, this.#kind, this.#isDue);
    if (orderOf(rows) === this.#order) return;
    this.#keys = await openedOf(this.#store, this.#kind, rows, this.#opened);
    this.#order = orderOf(rows);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}

/**
 * Makes the successor of the key that signs, whatever its age, unless there is one that does not sign yet. Returns when it
 * will sign (epoch milliseconds).
 */
export async function renewKey<K>(store: KeyStore, kind: KeyKind<K>): Promise<number> {
  const [newest] = (await renewed(store, kind, (keys, now) => inOrder(keys, now)[0] === keys[0])).toSorted(newestFirst);
  return (newest?.createdAt ?? store.now()) + ANNOUNCED_MS;
}

/** The keys that count, the signing one first, after making the one that is missing and deleting what has served. */
async function renewed<K>(store: KeyStore, kind: KeyKind<K>, isDue: IsDue): Promise<StoredKey[]> {
  const { database } = store;
  const before = await keysOf(database.read, kind);
  if (!isDue(before, store.now()) && before.every((_key, index) => !hasServed(before, index, kind, store.now())))
    return inOrder(before, store.now());
  const candidate = store.seal.seal(kind.sealedFor, await kind.make());
  return database.write(async (transaction) => {
    const now = store.now();
    const keys = await keysOf(transaction, kind);
    if (isDue(keys, now)) await insert(transaction, kind, nextId(keys, kind), candidate, now);
    const all = await keysOf(transaction, kind);
    const served = all.filter((_key, index) => hasServed(all, index, kind, now)).map(({ id }) => id);
    if (served.length > 0) await transaction.deleteFrom('signing_keys').where('id', 'in', served).execute();
    return inOrder(
      all.filter(({ id }) => !served.includes(id)),
      now,
    );
  });
}

/** Newest first. */
async function keysOf<K>(queries: Queries, { purpose }: KeyKind<K>): Promise<StoredKey[]> {
  const rows = await queries
    .selectFrom('signing_keys')
    .select(['id', 'sealed_private_key as sealed', 'created_at as createdAt'])
    .where('purpose', '=', purpose)
    .execute();
  return rows.toSorted(newestFirst);
}

/** Of two processes that make the same one, the first decides: the other reads it. */
async function insert<K>(
  transaction: Queries,
  { purpose }: KeyKind<K>,
  id: string,
  sealed: string,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('signing_keys')
    .values({ id, purpose, sealed_private_key: sealed, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Whether another key has to be made beside these, newest first. */
type IsDue = (keys: readonly StoredKey[], now: number) => boolean;

/** Ages are counted in days: no key is old before it signs. */
function byAge(ageMs: number | null): IsDue {
  return ([newest], now) => !newest || (ageMs !== null && newest.createdAt + ageMs <= now);
}

function newestFirst(a: StoredKey, b: StoredKey): number {
  return numberOf(b.id) - numberOf(a.id);
}

/** A key signs until its successor does, and is looked for until the last that it has signed has ended. */
function hasServed<K>(keys: readonly StoredKey[], index: number, { lifetimeMs }: KeyKind<K>, now: number): boolean {
  const successor = keys[index - 1];
  return successor !== undefined && successor.createdAt + ANNOUNCED_MS + lifetimeMs + MARGIN_MS <= now;
}

/** The signing one first: the newest that has been known long enough, or the only one. */
function inOrder(keys: readonly StoredKey[], now: number): StoredKey[] {
  const signing = keys.find(({ createdAt }) => createdAt + ANNOUNCED_MS <= now) ?? keys.at(-1);
  return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
}

function nextId<K>([newest]: readonly StoredKey[], { firstId, name }: KeyKind<K>): string {
  return newest ? `${name}-${numberOf(newest.id) + 1}` : firstId;
}

function numberOf(id: string): number {
  return Number(/-(\d+)$/.exec(id)?.[1] ?? 1);
}

function orderOf(rows: readonly StoredKey[]): string {
  return rows.map(({ id }) => id).join();
}

async function openedOf<K>(
  store: KeyStore,
  kind: KeyKind<K>,
  rows: readonly StoredKey[],
  opened: Map<string, K>,
): Promise<KeySet<K>> {
  const all = await Promise.all(
    rows.map(async ({ id, sealed }) => {
      const key = opened.get(id) ?? (await kind.open(store.seal.unseal(kind.sealedFor, sealed), id));
      opened.set(id, key);
      return key;
    }),
  );
  const [signing] = all;
  if (signing === undefined) throw new Error(`No key for ${kind.purpose}`);
  return { signing, all };
}
