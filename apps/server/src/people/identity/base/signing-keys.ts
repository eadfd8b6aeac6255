import type { Database, Queries } from '../../../foundation/storage/index.ts';
import type { Seal } from '../../../foundation/storage/index.ts';

const MINUTES = 60 * 1000;
/** Milliseconds between two reads of the keys by a process. */
const LOOK_EVERY_MS = MINUTES;
/** Milliseconds for which a key is published before it signs, so that all processes and clients know it. */
const ANNOUNCED_MS = 60 * MINUTES;
/** Milliseconds for which a key stays longer than computed, because processes may be late and clocks may differ. */
const MARGIN_MS = 60 * MINUTES;

/** A kind of keys: how they are named, made, sealed and renewed. */
export interface KeyKind<K> {
  readonly purpose: string;
  /** Id of the first row; the n-th is `<name>-<n>`. */
  readonly firstId: string;
  readonly name: string;
  /** Purpose under which the key is sealed. */
  readonly sealedFor: string;
  /** Milliseconds for which its signatures are accepted. */
  readonly lifetimeMs: number;
  /** Generates a private key, as text. */
  readonly make: () => Promise<string>;
  /** Parses such a text. */
  readonly open: (text: string, rowId: string) => K | Promise<K>;
}

interface KeyStore {
  readonly database: Database;
  readonly seal: Seal;
  readonly now: () => number;
  readonly log: { warn(details: object, text: string): void };
}

/** The current keys of a kind. */
export interface KeySet<K> {
  readonly signing: K;
  /** All keys that verify, including one that signs soon; the signing key is first. */
  readonly all: readonly K[];
}

interface StoredKey {
  readonly id: string;
  readonly sealed: string;
  readonly createdAt: number;
}

/**
 * Signing keys with rotation. They are stored sealed in the database and shared by all its processes. The successor
 * of a key is created an hour before it signs. A key is deleted when none of its signatures can be valid any more.
 * The process that looks first does both.
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

  /**
   * Opens the keys, and creates the first one if needed. `ageMs` is the time for which a key signs; null is forever.
   */
  static async open<K>(store: KeyStore, kind: KeyKind<K>, ageMs: number | null): Promise<SigningKeys<K>> {
    const rows = await renewed(store, kind, byAge(ageMs));
    const opened = new Map<string, K>();
    const keys = await openedOf(store, kind, rows, opened);
    const set = new SigningKeys(store, kind, byAge(ageMs), keys);
    set.#order = orderOf(rows);
    for (const [id, key] of opened) set.#opened.set(id, key);
    return set;
  }

  /** The current keys; the same object until they change. */
  get keys(): KeySet<K> {
    return this.#keys;
  }

  /** Reads the keys, and rotates them if it is time. */
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
 * Creates a successor of the signing key, whatever its age, unless there is one already. Returns the time at which it
 * will sign, in epoch milliseconds.
 */
export async function renewKey<K>(store: KeyStore, kind: KeyKind<K>): Promise<number> {
  const [newest] = (await renewed(store, kind, (keys, now) => inOrder(keys, now)[0] === keys[0])).toSorted(newestFirst);
  return (newest?.createdAt ?? store.now()) + ANNOUNCED_MS;
}

/** Creates a key that is due, deletes those that have served, and returns the others, the signing key first. */
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

/** The stored keys of a kind, newest first. */
async function keysOf<K>(queries: Queries, { purpose }: KeyKind<K>): Promise<StoredKey[]> {
  const rows = await queries
    .selectFrom('signing_keys')
    .select(['id', 'sealed_private_key as sealed', 'created_at as createdAt'])
    .where('purpose', '=', purpose)
    .execute();
  return rows.toSorted(newestFirst);
}

/** Inserts a key. If two processes create the same one, the first succeeds and the other reads it. */
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

/** True if another key has to be created. `keys` are the present ones, newest first. */
type IsDue = (keys: readonly StoredKey[], now: number) => boolean;

/** A key is due if the newest one is older than `ageMs`. Ages are in days, so no key is old before it signs. */
function byAge(ageMs: number | null): IsDue {
  return ([newest], now) => !newest || (ageMs !== null && newest.createdAt + ageMs <= now);
}

function newestFirst(a: StoredKey, b: StoredKey): number {
  return numberOf(b.id) - numberOf(a.id);
}

/** Returns whether a key can be deleted: its successor signs, and its last signature has expired. */
function hasServed<K>(keys: readonly StoredKey[], index: number, { lifetimeMs }: KeyKind<K>, now: number): boolean {
  const successor = keys[index - 1];
  return successor !== undefined && successor.createdAt + ANNOUNCED_MS + lifetimeMs + MARGIN_MS <= now;
}

/** Puts the signing key first: the newest that was announced long enough, or the only one. */
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
