import { toTimestamp, type MemberRole } from '@kethub/contract';
import { changeDataPool, createDataPool, poolsFor, requirePool, type ListedPool } from '../datapools/index.ts';
import type { IdempotencyKey, Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { DataPoolRow } from '../../foundation/storage/index.ts';
import { restrict } from '../../people/organizations/index.ts';

interface PoolRequest {
  readonly name: string;
  readonly shortDescription?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export function readPools({ database, addresses }: Platform, context: Context): Listing<ListedPool> {
  return {
    address: `${addresses.api}/qc-catalog/datapools`,
    load: (cursor, limit) => poolsFor(database.read, context, {}, cursor, limit),
    present: ({ granted, ...row }) => presented(row, restrict(granted, context)),
  };
}

export async function readPool({ database }: Platform, context: Context, id: string): Promise<PresentedPool> {
  const { pool, role } = await requirePool(database.read, context, id, 'data-pool:read');
  return presented(pool, role);
}

export async function createPool(
  platform: Platform,
  context: Context,
  { name, description, ...labels }: PoolRequest,
  idempotencyKey: IdempotencyKey,
): Promise<PresentedPool> {
  const described = { name, ...(description !== undefined && { description }) };
  const { id } = await createDataPool(platform, context, described, idempotencyKey, folded(labels));
  return readPool(platform, context, id);
}

/** Keeps the members that the request leaves out: the client sends only those that its caller has set. */
export async function changePool(
  platform: Platform,
  context: Context,
  id: string,
  { name, description, ...labels }: PoolRequest,
  ifMatch: string | undefined,
): Promise<PresentedPool> {
  const change = { name, ...(description !== undefined && { description }) };
  await changeDataPool(platform, context, id, change, ifMatch, folded(labels));
  return readPool(platform, context, id);
}

/** Tags are compared without regard to case. */
function folded({ tags, ...labels }: Pick<PoolRequest, 'shortDescription' | 'tags'>) {
  return { ...labels, ...(tags && { tags: [...new Set(tags.map((tag) => tag.toLowerCase()))] }) };
}

type PresentedPool = ReturnType<typeof presented>;

function presented(row: DataPoolRow, role: MemberRole) {
  return {
    id: row.id,
    name: row.name,
    shortDescription: row.short_description,
    description: row.description,
    tags: JSON.parse(row.tags) as string[],
    createdAt: toTimestamp(row.created_at),
    currentUserPermission: role,
  };
}
