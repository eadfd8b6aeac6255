import type { Application, TransferRequest } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { changeConsumer } from '../metering/index.ts';
import { requireNewOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireApplication } from './access-keys.ts';
import { accessChanged } from '../../people/authorization/index.ts';
import { presentAccessKey, presentApplication } from './present.ts';
import { accessKeysOf } from './queries.ts';

/**
 * Transfers an application to another owner. Its keys go on working. Subscriptions that only the old owner may have
 * end.
 */
export async function transferApplication(
  platform: Platform,
  context: Context,
  id: string,
  to: TransferRequest,
): Promise<Application> {
  const { database, addresses } = platform;
  const application = await database.write(async (transaction) => {
    const row = await requireApplication(transaction, context, id);
    const owner = await requireNewOwner(platform, transaction, context, to, 'application:create');
    const values = { ...owner, revision: row.revision + 1 };
    await transaction.updateTable('applications').set(values).where('id', '=', id).execute();
    await changeConsumer(transaction, id, to);
    const detail = { name: row.name, from: { type: context.type, id: context.id }, to };
    await audit(platform, transaction, context, 'application:transfer', id, detail);
    const receiver = { ...context, type: to.type, id: to.id };
    await audit(platform, transaction, receiver, 'application:transfer', id, detail);
    const keys = await accessKeysOf(transaction, [id], platform.now());
    return presentApplication(
      { ...row, ...values },
      keys.map((key) => presentAccessKey(key)),
      addresses,
    );
  });
  accessChanged(database, id);
  return application;
}
