import type { FastifyRequest } from 'fastify';
import { isFresh, list, type Answer, type ListQuery } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { poolTag, presentFile, presentPool } from './present.ts';
import { filesOfPool, poolsFor } from './queries.ts';
import { requirePool, restrict } from './rights.ts';

/** The pools that belong to the caller or were shared with them, newest first. */
export function readDataPools({ database, addresses }: Platform, context: Context, query: ListQuery): Promise<Answer> {
  return list(query, {
    address: `${addresses.api}/data-pools`,
    load: (cursor, limit) => poolsFor(database.read, context, cursor, limit),
    present: ({ granted, ...row }) => presentPool(row, restrict(granted, context)),
  });
}

export async function readDataPool(
  { database }: Platform,
  context: Context,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { pool, role } = await requirePool(database.read, context, id, 'data-pool:read');
  const tag = poolTag(pool, role);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  return { status: 200, body: presentPool(pool, role), headers: { etag: tag } };
}

/** The files of a pool, newest first. */
export async function readFiles(
  { database, addresses }: Platform,
  context: Context,
  id: string,
  query: ListQuery,
): Promise<Answer> {
  await requirePool(database.read, context, id, 'data-pool:read');
  return list(query, {
    address: `${addresses.api}/data-pools/${id}/files`,
    load: (cursor, limit) => filesOfPool(database.read, id, cursor, limit),
    present: presentFile,
  });
}
