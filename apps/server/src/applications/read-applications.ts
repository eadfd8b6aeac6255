import { isFresh, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import type { FastifyRequest } from 'fastify';
import { requireApplication } from './access-keys.ts';
import { accessKeysOf, listApplications } from './queries.ts';
import { applicationTag, presentAccessKey, presentApplication } from './present.ts';

export async function readApplications(platform: Platform, owner: Context): Promise<Answer> {
  const rows = await listApplications(platform.database, owner);
  const keys = await accessKeysOf(
    platform.database.read,
    rows.map(({ id }) => id),
    platform.now(),
  );
  const keysOf = Map.groupBy(keys, (key) => key.application_id);
  const body = rows.map((row) => {
    const own = (keysOf.get(row.id) ?? []).map((key) => presentAccessKey(key));
    return presentApplication(row, own, platform.addresses);
  });
  return { status: 200, body };
}

export async function readApplication(
  platform: Platform,
  owner: Context,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  const row = await requireApplication(platform.database.read, owner, id);
  const keys = await accessKeysOf(platform.database.read, [id], platform.now());
  const tag = applicationTag(row, keys);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  const body = presentApplication(
    row,
    keys.map((key) => presentAccessKey(key)),
    platform.addresses,
  );
  return { status: 200, body, headers: { etag: tag } };
}
