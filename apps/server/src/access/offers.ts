import type { Basis } from '@kethub/contract';
import type { OwnerType, Queries, ServiceVersionRow } from '../storage/index.ts';

/** From (inclusive) and until (exclusive) in epoch milliseconds; null is without end. */
export interface Interval {
  readonly from: number | null;
  readonly until: number | null;
}

/** A version of a service that the applications of an owner may subscribe to and call, while the interval holds. */
export interface Offer {
  readonly basis: Basis;
  readonly active: Interval;
  readonly versionId: string;
  readonly version: string;
  readonly serviceId: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: string;
}

export interface ApplicationOwner {
  readonly type: OwnerType;
  readonly id: string;
}

const ALWAYS: Interval = { from: null, until: null };

/** Whether `now` lies in the interval. */
export function holds({ from, until }: Interval, now: number): boolean {
  return (from === null || now >= from) && (until === null || now < until);
}

/**
 * When a subscription may be used, given what is offered to its owner. What was agreed in the marketplace goes on by itself
 * until the version is retired, whatever becomes of the listing; everything else has to be offered still.
 */
export function timesOf(
  { basis, versionId, state }: { basis: Basis; versionId: string; state: ServiceVersionRow['state'] },
  offers: readonly Offer[],
): Interval[] {
  if (basis === 'MARKETPLACE') return state === 'PUBLISHED' ? [ALWAYS] : [];
  return offers.filter((offer) => offer.versionId === versionId).map(({ active }) => active);
}

/** What is offered to an owner of these services, newest publication first; also what is not active yet, or no more. */
export async function offersTo(
  queries: Queries,
  owner: ApplicationOwner,
  serviceIds: readonly string[],
): Promise<Offer[]> {
  const offers = [await internalOffers(queries, owner, serviceIds), await sharedOffers(queries, owner, serviceIds)];
  return offers.flat();
}

/** Published internally: for the applications of the same owner. */
async function internalOffers(
  queries: Queries,
  owner: ApplicationOwner,
  serviceIds: readonly string[],
): Promise<Offer[]> {
  const rows = await publishedVersions(queries, serviceIds)
    .where('services.owner_type', '=', owner.type)
    .where('services.owner_id', '=', owner.id)
    .where('visibility', '=', 'INTERNAL')
    .execute();
  return rows.map((row) => ({ ...row, basis: 'INTERNAL', active: ALWAYS }));
}

/** Shared with the owner and published internally: while the share is active. */
async function sharedOffers(
  queries: Queries,
  owner: ApplicationOwner,
  serviceIds: readonly string[],
): Promise<Offer[]> {
  const rows = await publishedVersions(queries, serviceIds)
    .innerJoin('shares', 'shares.service_id', 'services.id')
    .select(['start_at', 'end_at'])
    .where(owner.type === 'USER' ? 'shares.user_id' : 'shares.organization_id', '=', owner.id)
    .where('visibility', '=', 'INTERNAL')
    .execute();
  return rows.map(({ start_at, end_at, ...row }) => ({
    ...row,
    basis: 'SHARE',
    active: { from: start_at, until: end_at },
  }));
}

function publishedVersions(queries: Queries, serviceIds: readonly string[]) {
  return queries
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select([
      'service_versions.id as versionId',
      'service_versions.version',
      'services.id as serviceId',
      'services.name',
      'services.slug',
      'services.owner_id as ownerId',
    ])
    .where('services.id', 'in', [...serviceIds, ''])
    .where('state', '=', 'PUBLISHED')
    .orderBy('published_at', 'desc')
    .orderBy('service_versions.id', 'desc');
}
