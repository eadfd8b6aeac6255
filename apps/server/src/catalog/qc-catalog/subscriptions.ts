import { toTimestamp } from '@kethub/contract';
import { readSubscription, subscribe, unsubscribe } from '../applications/index.ts';
import { Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';

interface SubscriptionRequest {
  readonly serviceId: string;
  readonly applicationId: string;
}

export async function createSubscription(
  platform: Platform,
  context: Context,
  { serviceId, applicationId }: SubscriptionRequest,
  idempotencyKey: IdempotencyKey,
) {
  const { subscription, isNew } = await subscribe(platform, context, applicationId, { serviceId }, idempotencyKey);
  return { subscription: await readById(platform, context, subscription.id), applicationId, isNew };
}

export async function readById(platform: Platform, context: Context, id: string) {
  const { application_id: applicationId, name, created_at } = await requireOwn(platform, context, id);
  const subscription = await readSubscription(platform, context, applicationId, id);
  const { serviceId, serviceName, version, endpoint: gatewayEndpoint } = subscription;
  return {
    id,
    application: { id: applicationId, name, createdAt: toTimestamp(created_at) },
    service: { id: serviceId, name: serviceName, version, gatewayEndpoint },
  };
}

export async function endSubscription(platform: Platform, context: Context, id: string): Promise<void> {
  const { application_id: applicationId } = await requireOwn(platform, context, id);
  return unsubscribe(platform, context, applicationId, id);
}

/** Throws not-found: the same problem for a subscription that does not exist and for one of another owner. */
async function requireOwn({ database }: Platform, { type, id: owner }: Context, id: string) {
  const row = await database.read
    .selectFrom('subscriptions')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .select(['application_id', 'applications.name', 'applications.created_at'])
    .where('subscriptions.id', '=', id)
    .where('owner_type', '=', type)
    .where('owner_id', '=', owner)
    .executeTakeFirst();
  if (row) return row;
  throw new Problem('not-found', `No application of yours has the subscription ${id}.`);
}
