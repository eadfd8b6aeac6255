import { audit } from '../audit/index.ts';
import { Problem, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { requireApplication } from './access-keys.ts';
import { accessChanged } from '../access/index.ts';
import { listSubscriptions } from './queries.ts';
import { presentSubscriptions } from './limited.ts';

export async function readSubscriptions(platform: Platform, owner: Context, applicationId: string): Promise<Answer> {
  await requireApplication(platform.database.read, owner, applicationId);
  const rows = await listSubscriptions(platform.database.read, applicationId);
  return { status: 200, body: await presentSubscriptions(platform, platform.database.read, rows) };
}

export async function readSubscription(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<Answer> {
  await requireApplication(platform.database.read, owner, applicationId);
  const row = (await listSubscriptions(platform.database.read, applicationId)).find((one) => one.id === id);
  if (!row) throw new Problem('not-found', `The application has no subscription ${id}.`);
  const [body] = await presentSubscriptions(platform, platform.database.read, [row]);
  return { status: 200, body };
}

/** Ends a subscription. Executions that run go on; calls through it end within a second on every gateway. */
export async function unsubscribe(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<Answer> {
  await platform.database.write(async (transaction) => {
    await requireApplication(transaction, owner, applicationId);
    const { numDeletedRows } = await transaction
      .deleteFrom('subscriptions')
      .where('id', '=', id)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Problem('not-found', `The application has no subscription ${id}.`);
    await audit(platform, transaction, owner, 'subscription:delete', id, { applicationId });
  });
  accessChanged(platform.database, applicationId);
  return { status: 204 };
}
