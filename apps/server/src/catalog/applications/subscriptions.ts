import type { Subscription } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem, type Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireApplication } from './access-keys.ts';
import { accessChanged } from '../../people/authorization/index.ts';
import { subscriptionsOf } from './queries.ts';
import { presentSubscription, presentSubscriptions } from './limited.ts';

export async function readSubscriptions(
  platform: Platform,
  owner: Context,
  applicationId: string,
): Promise<Listing<Subscription>> {
  const { read } = platform.database;
  await requireApplication(read, owner, applicationId);
  return {
    address: `${platform.addresses.api}/applications/${applicationId}/subscriptions`,
    async load(cursor, limit) {
      const all = subscriptionsOf(read, applicationId).limit(limit);
      const rows = await (cursor === null ? all : all.where('subscriptions.id', '<', cursor)).execute();
      return presentSubscriptions(platform, read, rows);
    },
    present: (subscription) => subscription,
  };
}

export async function readSubscription(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<Subscription> {
  await requireApplication(platform.database.read, owner, applicationId);
  const row = await subscriptionsOf(platform.database.read, applicationId)
    .where('subscriptions.id', '=', id)
    .executeTakeFirst();
  if (!row) throw new Problem('not-found', `The application has no subscription ${id}.`);
  return presentSubscription(platform, platform.database.read, row);
}

/** Ends a subscription. Executions that run go on; calls through it end within a second on every gateway. */
export async function unsubscribe(
  platform: Platform,
  owner: Context,
  applicationId: string,
  id: string,
): Promise<void> {
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
}
