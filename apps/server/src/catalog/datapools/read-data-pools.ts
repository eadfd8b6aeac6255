import type { DataPool } from '@kethub/contract';
import { searchOf, type Listing, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { poolTag, presentFile, presentPool } from './present.ts';
import type { DataPoolFileRow } from '../../foundation/storage/index.ts';
import { restrict } from '../../people/organizations/index.ts';
import { filesOfPool, poolsFor, type ListedPool, type PoolFilter } from './queries.ts';
import { requirePool } from './rights.ts';

/** The pools that belong to the caller or were shared with them, newest first. */
export function readDataPools(
  { database, addresses }: Platform,
  context: Context,
  filter: PoolFilter,
): Listing<ListedPool> {
  return {
    address: `${addresses.api}/data-pools${searchOf({ q: filter.q })}`,
    load: (cursor, limit) => poolsFor(database.read, context, filter, cursor, limit),
    present: ({ granted, ...row }) => presentPool(row, restrict(granted, context)),
  };
}

export async function readDataPool({ database }: Platform, context: Context, id: string): Promise<Tagged<DataPool>> {
  const { pool, role } = await requirePool(database.read, context, id, 'data-pool:read');
  return { body: presentPool(pool, role), tag: poolTag(pool, role) };
}

/** The files of a pool, newest first. */
export async function readFiles(
  { database, addresses }: Platform,
  context: Context,
  id: string,
): Promise<Listing<DataPoolFileRow>> {
  await requirePool(database.read, context, id, 'data-pool:read');
  return {
    address: `${addresses.api}/data-pools/${id}/files`,
    load: (cursor, limit) => filesOfPool(database.read, id, cursor, limit),
    present: presentFile,
  };
}
