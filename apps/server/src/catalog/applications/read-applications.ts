import { isFresh, list, searchOf, type Answer, type ListQuery } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { FastifyRequest } from 'fastify';
import { requireApplication } from './access-keys.ts';
import { accessKeysOf, pageOfApplications } from './queries.ts';
import { applicationTag, presentAccessKey, presentApplication } from './present.ts';

/** The applications of the owner, newest first. */
export function readApplications(
  platform: Platform,
  owner: Context,
  query: ListQuery & { readonly q?: string | undefined },
): Promise<Answer> {
  const { addresses, now } = platform;
  const { read } = platform.database;
  return list(query, {
    address: `${addresses.api}/applications${searchOf({ q: query.q })}`,
    async load(cursor, limit) {
      const rows = await pageOfApplications(read, owner, query, cursor, limit);
      const ids = rows.map(({ id }) => id);
      const keysOf = Map.groupBy(await accessKeysOf(read, ids, now()), (key) => key.application_id);
      return rows.map((row) => ({ ...row, keys: keysOf.get(row.id) ?? [] }));
    },
    present: ({ keys, ...row }) =>
      presentApplication(
        row,
        keys.map((key) => presentAccessKey(key)),
        addresses,
      ),
  });
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
