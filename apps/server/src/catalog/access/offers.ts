import type { Basis } from '@kethub/contract';
import type { OwnerType, Queries, ServiceVersionRow } from '../../foundation/storage/index.ts';

/** From (inclusive) and until (exclusive) in epoch milliseconds; null is without end. */
export interface Interval {
  readonly from: number | null;
  readonly until: number | null;
}

export interface Retirement {
  readonly announcedAt: number;
  readonly sunset: number;
}

/** A version of a service that the applications of an owner may subscribe to and call, while the interval holds. */
export interface Offer {
  readonly basis: Basis;
  /** When executions can be started: until the sunset of the version. */
  readonly active: Interval;
  /** When what has been started can be read: the same, whatever becomes of the version. */
  readonly readable: Interval;
  /** Announced at and effective from (epoch milliseconds); null while the version stays. */
  readonly retirement: Retirement | null;
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
/** What nearly all subscriptions have, once for all of them. */
const FOR_EVER: readonly Interval[] = [ALWAYS];

/** Whether `now` lies in the interval. */
export function holds({ from, until }: Interval, now: number): boolean {
  return (from === null || now >= from) && (until === null || now < until);
}

interface SubscribedVersion {
  readonly basis: Basis;
  readonly versionId: string;
  readonly state: ServiceVersionRow['state'];
  readonly retirement: Retirement | null;
}

/**
 * When a subscription may be used, given what is offered to its owner: to start executions, and to read what has been
 * started. What was agreed in the marketplace goes on by itself until the version is retired, whatever becomes of the
 * listing; everything else has to be offered still.
 */
export function timesOf(
  { basis, versionId, state, retirement }: SubscribedVersion,
  offers: readonly Offer[],
): { readonly active: readonly Interval[]; readonly readable: readonly Interval[] } {
  const offered = offers.filter((offer) => offer.versionId === versionId).map(({ readable }) => readable);
  const times = basis === 'MARKETPLACE' ? (state === 'PUBLISHED' ? FOR_EVER : []) : offered;
  const readable = times.length === 1 && times[0] === ALWAYS ? FOR_EVER : times;
  return { active: retirement ? readable.map((interval) => untilSunset(interval, retirement)) : readable, readable };
}

/** The end of a version, if it has been announced. */
export function retirementOf({
  deprecated_at,
  sunset_at,
}: Pick<ServiceVersionRow, 'deprecated_at' | 'sunset_at'>): Retirement | null {
  return deprecated_at === null || sunset_at === null ? null : { announcedAt: deprecated_at, sunset: sunset_at };
}

function untilSunset(interval: Interval, retirement: Retirement | null): Interval {
  if (!retirement) return interval;
  return { ...interval, until: Math.min(interval.until ?? retirement.sunset, retirement.sunset) };
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
  return rows.map((row) => offer('INTERNAL', row, ALWAYS));
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
  return rows.map(({ start_at, end_at, ...row }) => offer('SHARE', row, { from: start_at, until: end_at }));
}

type PublishedRow = Awaited<ReturnType<ReturnType<typeof publishedVersions>['execute']>>[number];

/** What is offered in an interval, which ends for starts with the version. */
function offer(basis: Basis, { deprecated_at, sunset_at, ...row }: PublishedRow, readable: Interval): Offer {
  const retirement = retirementOf({ deprecated_at, sunset_at });
  return { ...row, basis, retirement, readable, active: untilSunset(readable, retirement) };
}

/** Published versions with what whoever subscribes to one has to know of it. */
export function subscribableVersions(queries: Queries) {
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
    .where('state', '=', 'PUBLISHED');
}

function publishedVersions(queries: Queries, serviceIds: readonly string[]) {
  return subscribableVersions(queries)
    .select(['deprecated_at', 'sunset_at'])
    .where('services.id', 'in', [...serviceIds, ''])
    .orderBy('published_at', 'desc')
    .orderBy('service_versions.id', 'desc');
}
