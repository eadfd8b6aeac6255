import type { ServiceLimits, ServiceSubscription, UsageLimitsRequest } from '@kethub/contract';
import { toTimestamp } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { Problem, type Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../services/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { presentUsage } from './present.ts';
import { columnsOf, limitsOfService, limitsOfSubscriptions, NOTHING_SET, usageOf } from './queries.ts';

export async function readServiceLimits(
  platform: Platform,
  context: Context,
  serviceId: string,
): Promise<ServiceLimits> {
  const { read } = platform.database;
  await requireService(read, context, serviceId);
  return limitsOfService(read, serviceId);
}

/**
 * Sets how much of a service runs at once, and the limits of all subscriptions that have none of their own. They are in
 * force everywhere within a second.
 */
export async function setServiceLimits(
  platform: Platform,
  context: Context,
  serviceId: string,
  limits: ServiceLimits,
): Promise<ServiceLimits> {
  const { executionsAtOnce = null } = limits;
  await platform.database.write(async (transaction) => {
    await requireService(transaction, context, serviceId);
    const columns = { ...columnsOf(limits), executions_at_once: executionsAtOnce };
    await transaction
      .insertInto('service_limits')
      .values({ service_id: serviceId, ...columns })
      .onConflict((conflict) => conflict.column('service_id').doUpdateSet(columns))
      .execute();
    await audit(platform, transaction, context, 'limits:change', serviceId, { ...limits });
  });
  accessChanged(platform.database);
  return { ...limits, executionsAtOnce };
}

/** Sets the limits of one subscription. */
export async function setSubscriptionLimits(
  platform: Platform,
  context: Context,
  serviceId: string,
  subscriptionId: string,
  limits: UsageLimitsRequest,
): Promise<UsageLimitsRequest> {
  const columns = columnsOf(limits);
  const applicationId = await platform.database.write(async (transaction) => {
    await requireService(transaction, context, serviceId);
    const subscription = await subscriptionsTo(transaction, serviceId)
      .where('subscriptions.id', '=', subscriptionId)
      .executeTakeFirst();
    if (!subscription) throw new Problem('not-found', `The service has no subscription ${subscriptionId}.`);
    await transaction
      .insertInto('subscription_limits')
      .values({ subscription_id: subscriptionId, ...columns })
      .onConflict((conflict) => conflict.column('subscription_id').doUpdateSet(columns))
      .execute();
    await audit(platform, transaction, context, 'limits:change', subscriptionId, { serviceId, ...limits });
    return subscription.application_id;
  });
  accessChanged(platform.database, applicationId);
  return limits;
}

/** Lists the subscriptions to a service for its provider, newest first, with their owners and used quotas. */
export async function readServiceSubscriptions(
  platform: Platform,
  context: Context,
  serviceId: string,
): Promise<Listing<ServiceSubscription>> {
  const { read } = platform.database;
  await requireService(read, context, serviceId);
  return {
    address: `${platform.addresses.api}/services/${serviceId}/subscriptions`,
    async load(cursor, limit) {
      const rows = subscriptionsTo(read, serviceId).orderBy('subscriptions.id', 'desc').limit(limit);
      const page = await (cursor === null ? rows : rows.where('subscriptions.id', '<', cursor)).execute();
      const ids = page.map(({ id }) => id);
      const all = await limitsOfSubscriptions(read, platform.configuration.subscriptionLimits, ids);
      const usage = await usageOf(read, ids, platform.now());
      return page.map((row) => {
        const known = all.get(row.id);
        const limits = known?.limits ?? platform.configuration.subscriptionLimits;
        return {
          id: row.id,
          version: row.version,
          subscriber: { type: row.owner_type, id: row.owner_id },
          createdAt: toTimestamp(row.created_at),
          set: known?.set ?? NOTHING_SET,
          limits,
          usage: presentUsage(limits, usage.get(row.id)),
        };
      });
    },
    present: (subscription) => subscription,
  };
}

function subscriptionsTo(queries: Queries, serviceId: string) {
  return queries
    .selectFrom('subscriptions')
    .innerJoin('service_versions', 'service_versions.id', 'subscriptions.service_version_id')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .select([
      'subscriptions.id',
      'subscriptions.application_id',
      'subscriptions.created_at',
      'service_versions.version',
      'applications.owner_type',
      'applications.owner_id',
    ])
    .where('subscriptions.service_id', '=', serviceId);
}
