import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import { dialectOf, type OwnerType, type Queries } from '../../foundation/storage/index.ts';

/** A person or an organization. */
export interface StorageOwner {
  readonly type: OwnerType;
  readonly id: string;
}

/** The counters: columns of `storage_use`. */
export const counters = ['inputs', 'results', 'files', 'logs', 'data_pools', 'services'] as const;

/** Bytes for each counter. */
type StorageUse = Readonly<Record<(typeof counters)[number], number>>;

/** The bytes that an owner keeps, and the quota. */
export interface StorageState {
  readonly use: StorageUse;
  /** The sum of all counters. */
  readonly used: number;
  /** Bytes; null is no limit. */
  readonly quota: number | null;
}

/** Reads the counts of an owner, in one statement. */
export async function readStorage(platform: Platform, queries: Queries, owner: StorageOwner): Promise<StorageState> {
  const sums = counters.map(
    (counter) => sql`cast(coalesce(sum(${sql.ref(counter)}), 0) as bigint) as ${sql.ref(counter)}`,
  );
  const of = sql`owner_type = ${owner.type} and owner_id = ${owner.id}`;
  const { rows } = await sql<Record<string, number | string | null>>`select ${sql.join(sums)},
    (select count(*) from storage_quotas where ${of}) as own, (select bytes from storage_quotas where ${of}) as quota
    from storage_use where ${of}`.execute(queries);
  const row = rows[0] ?? {};
  const use = Object.fromEntries(counters.map((one) => [one, Math.max(0, Number(row[one] ?? 0))])) as StorageUse;
  const used = counters.reduce((sum, one) => sum + use[one], 0);
  const own = row['quota'] === null || row['quota'] === undefined ? null : Number(row['quota']);
  return { use, used, quota: Number(row['own']) > 0 ? own : platform.configuration.ownerStorageBytes };
}

/**
 * Locks the storage of an owner until the end of the transaction. A transaction with the lock reads all that earlier
 * ones have added. SQLite has one writer and needs no lock.
 */
export async function lockStorage(transaction: Queries, { type, id }: StorageOwner): Promise<void> {
  if (dialectOf(transaction) === 'sqlite') return;
  const name = `storage of ${type} ${id} in `;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name} || current_schema(), 0))`.execute(transaction);
}
