import type { PricingPlan } from '@kethub/contract';
import { subscribableVersions } from '../access/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { plansOf } from './present.ts';
import { findListing } from './queries.ts';

/** A version of the marketplace with the plan on which an application subscribes to it. */
export interface ChosenPlan {
  readonly versionId: string;
  readonly version: string;
  readonly serviceId: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: string;
  readonly ownerType: 'USER' | 'ORGANIZATION';
  readonly plan: PricingPlan & { readonly type: 'FREE' | 'COMMERCIAL' };
}

/**
 * Returns the plan of this id, or null when the service is not in the marketplace. Locks the listing until the end of
 * the transaction, so that nobody subscribes to one that has just been taken down. Throws pricing-plan-required,
 * on-request-only, and conflict for a version that is not the one offered.
 */
export async function choosePlan(
  { database }: Platform,
  transaction: Queries,
  wanted: { readonly serviceId: string; readonly version?: string; readonly pricingPlanId?: string },
): Promise<ChosenPlan | null> {
  const listing = await findListing(database, transaction, wanted.serviceId, 'FOR_SUBSCRIPTION');
  const service = listing && (await findVersion(transaction, listing.service_version_id));
  if (!service) return null;
  if (wanted.version !== undefined && wanted.version !== service.version) {
    throw new Problem(
      'conflict',
      `The marketplace offers version ${service.version} of the service, not ${wanted.version}.`,
    );
  }
  const plans = plansOf(listing);
  const plan = plans.find(({ id }) => id === wanted.pricingPlanId);
  if (!plan) throw planRequired(wanted.pricingPlanId, plans);
  const { type } = plan;
  if (type === 'ON_REQUEST') {
    throw new Problem(
      'on-request-only',
      `The plan "${plan.id}" is offered on request. Contact the provider: ${plan.contact ?? ''}`,
    );
  }
  return { ...service, plan: { ...plan, type } };
}

/** The version of a service that the marketplace offers, or undefined. */
export async function offeredVersion(queries: Queries, serviceId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('listings')
    .innerJoin('service_versions', 'service_versions.id', 'listings.service_version_id')
    .select('version')
    .where('listings.service_id', '=', serviceId)
    .executeTakeFirst();
  return row?.version;
}

function planRequired(id: string | undefined, plans: readonly PricingPlan[]): Problem {
  const offered = plans.map((plan) => `"${plan.id}" (${plan.type})`).join(', ');
  const what = id === undefined ? 'The service is offered on pricing plans.' : `There is no pricing plan "${id}".`;
  return new Problem('pricing-plan-required', `${what} Name one as pricingPlanId: ${offered}.`, {
    errors: [{ pointer: '/pricingPlanId', detail: `must be one of ${offered}` }],
  });
}

function findVersion(transaction: Queries, versionId: string) {
  return subscribableVersions(transaction)
    .select('services.owner_type as ownerType')
    .where('service_versions.id', '=', versionId)
    .where('sunset_at', 'is', null)
    .executeTakeFirst();
}
