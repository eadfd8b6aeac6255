import type { Context } from '../../foundation/platform.ts';
import type { AcceptedPlanRow, OwnerType, Queries, UsageRecordRow } from '../../foundation/storage/index.ts';

/** A subscription through which an application uses a service, with its plan. */
export interface Used {
  readonly application_id: string;
  readonly service_version_id: string;
  readonly version: string;
  readonly consumer_type: OwnerType;
  readonly consumer_id: string;
  readonly since: number;
  /** JSON; null for an internal or shared subscription. */
  readonly pricing_plan: AcceptedPlanRow['pricing_plan'] | null;
}

export function findOwnService(queries: Queries, { type, id: ownerId }: Context, id: string) {
  return queries
    .selectFrom('services')
    .select(['type'])
    .where('id', '=', id)
    .where('owner_type', '=', type)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
}

/**
 * Finds a subscription to the service. It may have ended, if it had a plan: its last use may be reported afterwards.
 */
export async function findUsed(queries: Queries, serviceId: string, subscriptionId: string): Promise<Used | undefined> {
  const current = await queries
    .selectFrom('subscriptions')
    .innerJoin('service_versions', 'service_versions.id', 'subscriptions.service_version_id')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .leftJoin('accepted_plans', 'accepted_plans.subscription_id', 'subscriptions.id')
    .select([
      'subscriptions.application_id',
      'subscriptions.service_version_id',
      'service_versions.version',
      'applications.owner_type as consumer_type',
      'applications.owner_id as consumer_id',
      'subscriptions.created_at as since',
      'accepted_plans.pricing_plan',
    ])
    .where('subscriptions.id', '=', subscriptionId)
    .where('subscriptions.service_id', '=', serviceId)
    .executeTakeFirst();
  if (current) return current;
  return queries
    .selectFrom('accepted_plans')
    .select([
      'application_id',
      'service_version_id',
      'version',
      'consumer_type',
      'consumer_id',
      'accepted_at as since',
      'pricing_plan',
    ])
    .where('subscription_id', '=', subscriptionId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
}

export function insertUsage(transaction: Queries, row: UsageRecordRow) {
  return transaction.insertInto('usage_records').values(row).execute();
}
