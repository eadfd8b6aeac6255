import { toTimestamp, type MemberRole } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { changeDataPool, createDataPool, poolsFor, requirePool, restrict } from '../datapools/index.ts';
import { list, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { DataPoolRow } from '../../foundation/storage/index.ts';

interface PoolRequest {
  readonly name: string;
  readonly shortDescription?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export function readPools({ database, addresses }: Platform, context: Context): Promise<Answer> {
  return list(
    {},
    {
      address: `${addresses.api}/qc-catalog/datapools`,
      load: (cursor, limit) => poolsFor(database.read, context, cursor, limit),
      present: ({ granted, ...row }) => presented(row, restrict(granted, context)),
    },
  );
}

export async function readPool({ database }: Platform, context: Context, id: string): Promise<Answer> {
  const { pool, role } = await requirePool(database.read, context, id, 'data-pool:read');
  return { status: 200, body: presented(pool, role) };
}

export async function createPool(
  platform: Platform,
  context: Context,
  { name, description, ...labels }: PoolRequest,
  request: FastifyRequest,
): Promise<Answer> {
  const described = { name, ...(description !== undefined && { description }) };
  const made = await createDataPool(platform, context, described, request.headers['idempotency-key'], folded(labels));
  return { ...made, body: (await readPool(platform, context, idOf(made))).body };
}

/** Keeps the members that the request leaves out: the client sends only those that its caller has set. */
export async function changePool(
  platform: Platform,
  context: Context,
  id: string,
  { name, description, ...labels }: PoolRequest,
  request: FastifyRequest,
): Promise<Answer> {
  const change = { name, ...(description !== undefined && { description }) };
  await changeDataPool(platform, context, id, change, request.headers['if-match'], folded(labels));
  return readPool(platform, context, id);
}

/** Tags are compared without regard to case. */
function folded({ tags, ...labels }: Pick<PoolRequest, 'shortDescription' | 'tags'>) {
  return { ...labels, ...(tags && { tags: [...new Set(tags.map((tag) => tag.toLowerCase()))] }) };
}

function idOf({ body }: Answer): string {
  return (body as { readonly id: string }).id;
}

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
