import type { Application } from '@kethub/contract';
import { searchOf, type Listing, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { AccessKeyRow, ApplicationRow } from '../../foundation/storage/index.ts';
import { requireApplication } from './access-keys.ts';
import { accessKeysOf, pageOfApplications } from './queries.ts';
import { applicationTag, presentAccessKey, presentApplication } from './present.ts';

interface WithKeys extends ApplicationRow {
  readonly keys: readonly AccessKeyRow[];
}

/** The applications of the owner, newest first. */
export function readApplications(
  platform: Platform,
  owner: Context,
  query: { readonly q?: string | undefined },
): Listing<WithKeys> {
  const { addresses, now } = platform;
  const { read } = platform.database;
  return {
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
  };
}

export async function readApplication(platform: Platform, owner: Context, id: string): Promise<Tagged<Application>> {
  const row = await requireApplication(platform.database.read, owner, id);
  const keys = await accessKeysOf(platform.database.read, [id], platform.now());
  const body = presentApplication(
    row,
    keys.map((key) => presentAccessKey(key)),
    platform.addresses,
  );
  return { body, tag: applicationTag(row, keys) };
}
