import type { MemberRole } from '@kethub/contract';
import { sql } from 'kysely';
import { containing } from '../../foundation/storage/index.ts';
import type { Database, DataPoolFileRow, DataPoolRow, OwnerType, Queries } from '../../foundation/storage/index.ts';

/** The SQL of data pools, their members and files. */

interface Named {
  readonly type: OwnerType;
  readonly id: string;
}

export function findPool(queries: Queries, id: string): Promise<DataPoolRow | undefined> {
  return queries.selectFrom('data_pools').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks a pool until the end of the transaction. On SQLite there is one writer, which is the lock. */
export function lockPool({ dialect }: Database, transaction: Queries, id: string): Promise<DataPoolRow | undefined> {
  const query = transaction.selectFrom('data_pools').selectAll().where('id', '=', id);
  return (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function roleOfMember(queries: Queries, poolId: string, { type, id }: Named): Promise<MemberRole | null> {
  const row = await queries
    .selectFrom('data_pool_members')
    .select('role')
    .where('data_pool_id', '=', poolId)
    .where('member_type', '=', type)
    .where('member_id', '=', id)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** Restricts a list of pools: part of a name. */
export interface PoolFilter {
  readonly q?: string | undefined;
}

/** A pool in a list, with what the caller was granted; null for the caller's own. */
export type ListedPool = DataPoolRow & { readonly granted: MemberRole | null };

/**
 * The pools that belong to an owner or were shared with them, newest first; with `q` those with it in their name. Reads
 * along one index for each kind.
 */
export async function poolsFor(
  queries: Queries,
  { type, id }: Named,
  { q }: PoolFilter,
  cursor: string | null,
  limit: number,
): Promise<ListedPool[]> {
  const isNamed = q === undefined ? sql<boolean>`true` : containing('data_pools.name', q);
  const owned = queries
    .selectFrom('data_pools')
    .selectAll()
    .where('owner_type', '=', type)
    .where('owner_id', '=', id)
    .where(isNamed)
    .orderBy('id', 'desc')
    .limit(limit);
  const shared = queries
    .selectFrom('data_pool_members')
    .innerJoin('data_pools', 'data_pools.id', 'data_pool_id')
    .selectAll('data_pools')
    .select('role as granted')
    .where('member_type', '=', type)
    .where('member_id', '=', id)
    .where(isNamed)
    .orderBy('data_pool_id', 'desc')
    .limit(limit);
  const rows: ListedPool[] = [
    ...(await (cursor === null ? owned : owned.where('id', '<', cursor)).execute()).map((row) => ({
      ...row,
      granted: null,
    })),
    ...(await (cursor === null ? shared : shared.where('data_pool_id', '<', cursor)).execute()),
  ];
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

export function filesOfPool(queries: Queries, poolId: string, cursor: string | null, limit: number) {
  const rows = queries
    .selectFrom('data_pool_files')
    .selectAll()
    .where('data_pool_id', '=', poolId)
    .orderBy('id', 'desc')
    .limit(limit);
  return (cursor === null ? rows : rows.where('id', '<', cursor)).execute();
}

/** Rows that one statement reads. */
const CHUNK = 500;

/** All files of a pool, newest first, read in chunks. */
export async function* everyFileOf(database: Database, poolId: string): AsyncGenerator<DataPoolFileRow> {
  for (let cursor: string | null = null; ;) {
    const rows: DataPoolFileRow[] = await filesOfPool(database.read, poolId, cursor, CHUNK);
    yield* rows;
    cursor = rows.at(-1)?.id ?? null;
    if (rows.length < CHUNK) return;
  }
}

export function findFile(queries: Queries, poolId: string, name: string): Promise<DataPoolFileRow | undefined> {
  return queries
    .selectFrom('data_pool_files')
    .selectAll()
    .where('data_pool_id', '=', poolId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function findFileById(queries: Queries, poolId: string, id: string): Promise<DataPoolFileRow | undefined> {
  return queries
    .selectFrom('data_pool_files')
    .selectAll()
    .where('data_pool_id', '=', poolId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Adds to the counts of files and bytes of a pool. Call with the pool locked. */
export async function countFiles(
  transaction: Queries,
  poolId: string,
  change: { readonly files: number; readonly bytes: number },
): Promise<void> {
  await transaction
    .updateTable('data_pools')
    .set((row) => ({ files: row('files', '+', change.files), bytes: row('bytes', '+', change.bytes) }))
    .where('id', '=', poolId)
    .execute();
}
