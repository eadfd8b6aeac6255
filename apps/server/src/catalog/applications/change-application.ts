import type { Application } from '@kethub/contract';
import { requireMatch, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireApplication } from './access-keys.ts';
import { applicationTag, presentAccessKey, presentApplication } from './present.ts';
import { accessKeysOf } from './queries.ts';

/** Renames an application. */
export function renameApplication(
  platform: Platform,
  context: Context,
  id: string,
  name: string,
  ifMatch: string | undefined,
): Promise<Tagged<Application>> {
  return platform.database.write(async (transaction) => {
    const row = await requireApplication(transaction, context, id);
    const keys = await accessKeysOf(transaction, [id], platform.now());
    requireMatch(ifMatch, applicationTag(row, keys));
    const changed = { ...row, name: name.trim(), revision: row.revision + 1 };
    const { revision } = changed;
    await transaction.updateTable('applications').set({ name: changed.name, revision }).where('id', '=', id).execute();
    const body = presentApplication(
      changed,
      keys.map((key) => presentAccessKey(key)),
      platform.addresses,
    );
    return { body, tag: applicationTag(changed, keys) };
  });
}
