import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import { audit } from '../../people/audit/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { accessKeyAnswersOf, requireApplication } from './access-keys.ts';
import { accessChanged } from '../../people/authorization/index.ts';

/** Deletes an application with its keys and subscriptions. Its bearer tokens end within a second on every gateway. */
export async function deleteApplication(platform: Platform, owner: Context, id: string): Promise<void> {
  await platform.database.write(async (transaction) => {
    const { name } = await requireApplication(transaction, owner, id);
    await audit(platform, transaction, owner, 'application:delete', id, { name });
    await deleteIdempotencyRecords(transaction, accessKeyAnswersOf(id));
    await transaction.deleteFrom('applications').where('id', '=', id).execute();
  });
  accessChanged(platform.database, id);
}
