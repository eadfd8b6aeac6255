import type { Basis } from '@kethub/contract';
import type { OwnerType, Queries, ServiceVersionRow } from '../../foundation/storage/index.ts';

/** From (inclusive) to until (exclusive) in epoch milliseconds; null is open. */
export interface Interval {
  readonly from: number | null;
  readonly until: number | null;
}

/** The announced end of a version, in epoch milliseconds. */
export interface Retirement {
  readonly announcedAt: number;
  /** Moment from which on the version starts no executions. */
  readonly sunset: number;
}

/** A service version that the applications of an owner may subscribe to and call during the intervals. */
export interface Offer {
  readonly basis: Basis;
  /** The interval in which executions may be started: at most until the sunset of the version. */
  readonly active: Interval;
  /** The interval in which executions may be read: the same without the sunset. */
  readonly readable: Interval;
  /** The announced end of the version, or null. */
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

/** Returns whether `now` lies in one of the intervals. */
export function isDuring(intervals: readonly Interval[], now: number): boolean {
  return intervals.some(({ from, until }) => (from === null || now >= from) && (until === null || now < until));
}

interface SubscribedVersion {
  readonly basis: Basis;
  readonly versionId: string;
  readonly state: ServiceVersionRow['state'];
  readonly retirement: Retirement | null;
}

/**
 * The intervals in which a subscription may start and read executions, given the offers to its owner. A subscription
 * from the marketplace stays valid until the version is retired, also when the listing ends. Any other is valid only
 * while its version is still offered.
 */
export function timesOf(
  { basis, versionId, state, retirement }: SubscribedVersion,
  offers: readonly Offer[],
): { readonly active: readonly Interval[]; readonly readable: readonly Interval[] } {
  const offered = offers.filter((offer) => offer.versionId === versionId).map(({ readable }) => readable);
  const readable = basis === 'MARKETPLACE' ? (state === 'PUBLISHED' ? [ALWAYS] : []) : offered;
  return { active: retirement ? readable.map((interval) => untilSunset(interval, retirement)) : readable, readable };
}

/** The announced end of a version, or null. */
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

/**
 * Offers of these services to an owner, newest publication first. Includes offers that are not active yet, or no
 * longer.
 */
export async function offersTo(
  queries: Queries,
  owner: ApplicationOwner,
  serviceIds: readonly string[],
): Promise<Offer[]> {
  const offers = [await internalOffers(queries, owner, serviceIds), await sharedOffers(queries, owner, serviceIds)];
  return offers.flat();
}

/** Versions published internally, for applications of the same owner. */
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

/** Versions published internally and shared with the owner, for as long as the share lasts. */
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

function offer(basis: Basis, { deprecated_at, sunset_at, ...row }: PublishedRow, readable: Interval): Offer {
  const retirement = retirementOf({ deprecated_at, sunset_at });
  return { ...row, basis, retirement, readable, active: untilSunset(readable, retirement) };
}

/** Published versions with the columns that a subscription needs. */
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
