import {
  limits,
  toTimestamp,
  type Basis,
  type PricingPlan,
  type SubscribeRequest,
  type Subscription,
} from '@kethub/contract';
import { offersTo, type Offer } from '../access/index.ts';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import { choosePlan, offeredVersion, type ChosenPlan } from '../marketplace/index.ts';
import { acceptPlan } from '../metering/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, type Queries } from '../../foundation/storage/index.ts';
import { requireApplication } from './access-keys.ts';
import { presentSubscription } from './limited.ts';
import type { SubscribedService } from './present.ts';
import { subscriptionsOf } from './queries.ts';

/** A subscription. It is not new if the application has subscribed before. */
export interface Subscribed {
  readonly subscription: Subscription;
  readonly isNew: boolean;
}

/**
 * Subscribes an application to a version of a service. Without a pricing plan it is a version that is published for its
 * owner; on one, the version that the marketplace offers. Subscribing again returns the subscription that is there.
 */
export async function subscribe(
  platform: Platform,
  owner: Context,
  applicationId: string,
  wanted: SubscribeRequest,
  idempotencyKey: IdempotencyKey,
): Promise<Subscribed> {
  // Checked before an idempotency record is answered with: this caller may be another person.
  await requireApplication(platform.database.read, owner, applicationId);
  const attempt = (): Promise<Subscribed> =>
    once(platform, idempotencyKey, `subscriptions of ${applicationId}`, JSON.stringify(wanted), async (transaction) => {
      await requireApplication(transaction, owner, applicationId);
      const subscriptions = await subscriptionsOf(transaction, applicationId).execute();
      const known = await findAgreed(transaction, wanted, subscriptions);
      const chosen = known ?? (await choose(platform, transaction, owner, wanted, subscriptions));
      const row = 'id' in chosen ? chosen : await insert(platform, transaction, owner, applicationId, chosen);
      const subscription = await presentSubscription(platform, transaction, row);
      return { subscription, isNew: row !== chosen };
    });
  // When two requests subscribe at once, the second finds the subscription of the first.
  const subscribed = await attempt().catch((error: unknown) => {
    if (isDuplicate(error)) return attempt();
    throw error;
  });
  accessChanged(platform.database, applicationId);
  return subscribed;
}

/** The service to subscribe to, and the plan. */
interface Chosen {
  readonly versionId: string;
  readonly version: string;
  readonly serviceId: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: string;
  readonly basis: Basis;
  readonly accepted: ChosenPlan | null;
}

/** Finds the existing subscription on the plan that is asked for. It stays, although other plans may be offered now. */
async function findAgreed(
  transaction: Queries,
  { serviceId, pricingPlanId, ...wanted }: SubscribeRequest,
  subscriptions: readonly SubscribedService[],
): Promise<SubscribedService | undefined> {
  if (pricingPlanId === undefined) return undefined;
  const version = wanted.version ?? (await offeredVersion(transaction, serviceId));
  return subscriptions.find(
    (one) =>
      one.service_id === serviceId &&
      planOf(one)?.id === pricingPlanId &&
      (version === undefined || one.version === version),
  );
}

function planOf({ pricing_plan }: SubscribedService): PricingPlan | null {
  return pricing_plan === null ? null : (JSON.parse(pricing_plan) as PricingPlan);
}

async function choose(
  platform: Platform,
  transaction: Queries,
  owner: Context,
  wanted: SubscribeRequest,
  subscriptions: readonly SubscribedService[],
): Promise<Chosen | SubscribedService> {
  const offers = wanted.pricingPlanId === undefined ? await offersTo(transaction, owner, [wanted.serviceId]) : [];
  const offered = offers.filter(({ version }) => wanted.version === undefined || version === wanted.version);
  const offer = offered.find(({ retirement }) => !retirement) ?? offered[0];
  const existingOf = (version: string | undefined): SubscribedService | undefined =>
    subscriptions.find(
      (one) => one.service_id === wanted.serviceId && (version === undefined || one.version === version),
    );
  if (offer) return existingOf(offer.version) ?? { ...lasting(offer), accepted: null };
  const agreed = wanted.pricingPlanId === undefined ? existingOf(wanted.version) : undefined;
  if (agreed?.basis === 'MARKETPLACE') return agreed;
  if (offers.length > 0) {
    const offered = offers.map((one) => one.version).join(', ');
    throw new Problem('conflict', `Version ${wanted.version} of the service is not published. Published: ${offered}.`);
  }
  const accepted = await choosePlan(platform, transaction, wanted);
  if (!accepted) throw notOffered(wanted);
  const existing = existingOf(accepted.version);
  if (existing) throw subscribedOtherwise(existing);
  return { ...accepted, basis: 'MARKETPLACE', accepted };
}

/** Throws conflict for a version that is being retired: a new subscriber would soon lose it. */
function lasting(offer: Offer): Offer {
  if (!offer.retirement) return offer;
  const sunset = toTimestamp(offer.retirement.sunset);
  throw new Problem(
    'conflict',
    `Version ${offer.version} of the service takes no new subscriptions: it is retired from ${sunset} UTC on. Subscribe to a newer version.`,
  );
}

function notOffered({ serviceId, pricingPlanId }: SubscribeRequest): Problem {
  return new Problem(
    'not-found',
    pricingPlanId === undefined
      ? `No service ${serviceId} is published for you. It must be published internally, or in the marketplace, before an application can subscribe.`
      : `No service ${serviceId} is offered in the marketplace. Leave out pricingPlanId for one that is published internally.`,
  );
}

/** The problem of a subscription that exists on other terms: a request never changes the price silently. */
function subscribedOtherwise(existing: SubscribedService): Problem {
  const plan = planOf(existing);
  const how = plan ? `on the pricing plan "${plan.id}"` : `as ${existing.basis}, without a pricing plan`;
  return new Problem(
    'conflict',
    `The application has subscribed to version ${existing.version} already, ${how}. End that subscription (${existing.id}) first.`,
  );
}

async function insert(
  platform: Platform,
  transaction: Queries,
  owner: Context,
  applicationId: string,
  { accepted, versionId, version, serviceId, name, slug, ownerId, basis }: Chosen,
): Promise<SubscribedService> {
  await requireSubscriptionLimit(transaction, applicationId);
  const [id, created_at] = [platform.newId(), platform.now()];
  const keys = { application_id: applicationId, service_id: serviceId, service_version_id: versionId };
  await transaction
    .insertInto('subscriptions')
    .values({ id, ...keys, basis, created_at })
    .execute();
  if (accepted) {
    await acceptPlan(transaction, {
      ...keys,
      subscription_id: id,
      service_name: name,
      version,
      type: accepted.plan.type,
      plan: accepted.plan,
      consumer_type: owner.type,
      consumer_id: owner.id,
      provider_type: accepted.ownerType,
      provider_id: ownerId,
      accepted_at: created_at,
    });
  }
  const detail = { applicationId, serviceId, version, basis, ...(accepted && { pricingPlan: accepted.plan }) };
  await audit(platform, transaction, owner, 'subscription:create', id, detail);
  const pricing_plan = accepted && JSON.stringify(accepted.plan);
  const { configuration } = await transaction
    .selectFrom('service_versions')
    .select('configuration')
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow();
  const made = { id, service_id: serviceId, created_at, name, slug, owner_id: ownerId, version, configuration };
  return { ...made, basis, pricing_plan };
}

async function requireSubscriptionLimit(transaction: Queries, applicationId: string): Promise<void> {
  const { taken } = await transaction
    .selectFrom('subscriptions')
    .select((expression) => expression.fn.countAll<number | string>().as('taken'))
    .where('application_id', '=', applicationId)
    .executeTakeFirstOrThrow();
  if (Number(taken) < limits.subscriptionsOfApplication) return;
  throw new Problem(
    'conflict',
    `An application has at most ${limits.subscriptionsOfApplication} subscriptions. End some of them, or use another application.`,
  );
}
