import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Database } from '../../foundation/storage/index.ts';
import { lackOfStorage, storageProblem } from './require.ts';
import { readStorage, type StorageOwner } from './storage-use.ts';

/** The cached storage use of an owner who starts executions, plus what this process has accepted since. */
interface Known {
  used: number;
  readonly quota: number | null;
  pending: number;
  readonly until: number;
}

/** Milliseconds for which the state of an owner is cached. A start is never refused because of a cached state. */
const CACHED_MS = 1_000;
/** Owners cached. One more evicts the least recently used one. */
const MAX_CACHED = 10_000;
/** Bytes of an input. For a longer one the state is always read. */
const SHORT_BYTES = 64 * 1024;
/** Seconds after which a client may retry a refused start. */
const RETRY_SECONDS = 10;

const caches = new WeakMap<Database, LRUCache<string, Known>>();

/**
 * Refuses a start whose input exceeds the quota of its owner, or for whom too many executions wait. The state of the
 * owner is cached for a second, so most starts cost no query. Throws storage-quota-exceeded and too-many-pending.
 */
export async function requireStart(
  platform: Platform,
  owner: StorageOwner,
  { bytes, waits }: { readonly bytes: number; readonly waits: boolean },
): Promise<void> {
  const memory = caches.get(platform.database) ?? new LRUCache<string, Known>({ max: MAX_CACHED });
  caches.set(platform.database, memory);
  const key = `${owner.type} ${owner.id}`;
  let known = memory.get(key);
  const isLong = bytes > SHORT_BYTES;
  if (!known || isLong || known.until < performance.now() || whyNot(platform, known, bytes, waits)) {
    known = await look(platform, owner);
    memory.set(key, known);
    const problem = whyNot(platform, known, bytes, waits);
    if (problem) throw problem;
  }
  known.used += bytes;
  known.pending += waits ? 1 : 0;
}

async function look(platform: Platform, owner: StorageOwner): Promise<Known> {
  const { read } = platform.database;
  const { used, quota } = await readStorage(platform, read, owner);
  const most = platform.configuration.ownerPending;
  const until = performance.now() + CACHED_MS;
  if (most === null) return { used, quota, pending: 0, until };
  // The count stops at the limit: an owner may have a hundred thousand from a time without it.
  const { rows } = await sql<{ pending: number }>`select count(*) as pending from (select 1 from executions
    where status = 'PENDING' and owner_id = ${owner.id} limit ${most}) as waiting`.execute(read);
  return { used, quota, pending: rows[0]?.pending ?? 0, until };
}

function whyNot({ configuration }: Platform, known: Known, bytes: number, waits: boolean): Problem | null {
  const lack = lackOfStorage(known, bytes);
  if (lack !== null) return storageProblem(lack);
  const most = configuration.ownerPending;
  if (!waits || most === null || known.pending < most) return null;
  return new Problem(
    'too-many-pending',
    `${most} executions of this owner wait already, which is the limit. Try again in ${RETRY_SECONDS} seconds, or cancel some.`,
    { headers: { 'retry-after': String(RETRY_SECONDS) } },
  );
}
