import type { Application } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { once, type IdempotencyKey } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ApplicationRow } from '../../foundation/storage/index.ts';
import { createAccessKey } from './access-keys.ts';
import { applicationAnswersOf } from './catalog.ts';
import { presentApplication } from './present.ts';

/** Creates an application with its first key pair. Its answer shows the secret of the key. */
export function createApplication(
  platform: Platform,
  owner: Context,
  name: string,
  idempotencyKey: IdempotencyKey,
): Promise<Application> {
  const now = platform.now();
  return once(platform, idempotencyKey, applicationAnswersOf(owner), name, async (transaction) => {
    await lockOwnerShared(platform, transaction, owner);
    const row: ApplicationRow = {
      id: platform.newId(),
      owner_type: owner.type,
      owner_id: owner.id,
      name: name.trim(),
      created_at: now,
      revision: 1,
    };
    await transaction.insertInto('applications').values(row).execute();
    await audit(platform, transaction, owner, 'application:create', row.id, { name: row.name });
    const key = await createAccessKey(platform, transaction, row.id);
    return presentApplication(row, [key], platform.addresses);
  });
}
