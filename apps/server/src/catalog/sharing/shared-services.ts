import { toTimestamp, type SharedService, type SharedServiceVersion } from '@kethub/contract';
import { Problem, type Listing, type Tagged } from '../../foundation/http/index.ts';
import { serviceEndpoint, type Addresses, type Context, type Platform } from '../../foundation/platform.ts';
import { declaredHosts, sharedVersions, subscribersSpecification, type PublishedVersion } from '../services/index.ts';
import type { Queries, ServiceRow } from '../../foundation/storage/index.ts';
import { openedBy } from './opened.ts';
import { activeShares } from './queries.ts';

/** A service that is shared now, and until when (null: without end). */
interface Shared extends ServiceRow {
  readonly until: number | null;
  readonly versions: readonly PublishedVersion[];
}

/** Lists the services that are shared with the context now, newest first. */
export function readSharedServices(platform: Platform, context: Context): Listing<Shared> {
  const { database, addresses, now } = platform;
  return {
    address: `${addresses.api}/shared-services`,
    async load(cursor, limit) {
      const at = now();
      const services = database.read
        .selectFrom('services')
        .selectAll()
        .where('id', 'in', activeShares(database.read, context, at).select('service_id'))
        .orderBy('id', 'desc')
        .limit(limit);
      const rows = await (cursor === null ? services : services.where('id', '<', cursor)).execute();
      return withVersions(database.read, context, rows, at);
    },
    present: (shared) => presentShared(shared, addresses),
  };
}

export async function readSharedService(platform: Platform, context: Context, id: string): Promise<SharedService> {
  const row = await findSharedService(platform.database.read, context, id, platform.now());
  const [shared] = row ? await withVersions(platform.database.read, context, [row], platform.now()) : [];
  if (!shared) throw new Problem('not-found', `No service ${id} is shared with you.`);
  return presentShared(shared, platform.addresses);
}

/** The API specification of a version that the context may run by a share. */
export async function readSharedSpecification(
  platform: Platform,
  context: Context,
  serviceId: string,
  version: string,
): Promise<Tagged<string>> {
  const { database, addresses, now } = platform;
  const row = await findSharedService(database.read, context, serviceId, now());
  const opened = row ? await sharedVersions(database.read, [serviceId], now()) : [];
  const found = opened.find((one) => one.version === version);
  if (!row || !found)
    throw new Problem('not-found', `No version ${version} of a service ${serviceId} is shared with you.`);
  const endpoint = serviceEndpoint(addresses, row.owner_id, row.slug, version).slice(0, -1);
  return subscribersSpecification(platform, serviceId, found.id, endpoint);
}

/** Finds a service that is shared with the context now. */
export function findSharedService(
  queries: Queries,
  context: Context,
  id: string,
  now: number,
): Promise<ServiceRow | undefined> {
  return queries
    .selectFrom('services')
    .selectAll()
    .where('id', '=', id)
    .where('id', 'in', activeShares(queries, context, now).select('service_id').where('service_id', '=', id))
    .executeTakeFirst();
}

async function withVersions(
  queries: Queries,
  context: Context,
  rows: readonly ServiceRow[],
  now: number,
): Promise<Shared[]> {
  const ids = rows.map(({ id }) => id);
  const versions = Map.groupBy(await sharedVersions(queries, ids, now), (version) => version.service_id);
  const shares = await activeShares(queries, context, now)
    .select(['service_id', 'end_at'])
    .where('service_id', 'in', [...ids, ''])
    .execute();
  const endsOf = Map.groupBy(shares, (share) => share.service_id);
  return rows.map((row) => ({
    ...row,
    until: latest((endsOf.get(row.id) ?? []).map(({ end_at }) => end_at)),
    versions: versions.get(row.id) ?? [],
  }));
}

/** The latest end of several shares; null if one of them has no end. */
function latest(ends: readonly (number | null)[]): number | null {
  const dates = ends.filter((end) => end !== null);
  return dates.length < ends.length || dates.length === 0 ? null : Math.max(...dates);
}

function presentShared(row: Shared, addresses: Addresses): SharedService {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    description: row.description,
    owner: { type: row.owner_type, id: row.owner_id },
    endDate: row.until === null ? null : toTimestamp(row.until),
    versions: row.versions.map((version) => presentSharedVersion(version, row, addresses)),
  };
}

function presentSharedVersion(row: PublishedVersion, service: ServiceRow, addresses: Addresses): SharedServiceVersion {
  return {
    version: row.version,
    state: row.state === 'DRAFT' ? 'DRAFT' : 'PUBLISHED',
    ...(row.published_at !== null && { publishedAt: toTimestamp(row.published_at) }),
    opens: openedBy(service.type, row),
    ...(row.parameters !== null && {
      parameters: JSON.parse(row.parameters) as NonNullable<SharedServiceVersion['parameters']>,
    }),
    ...declaredHosts(row.configuration),
    ...(openedBy(service.type, row).includes('API') && {
      endpoint: serviceEndpoint(addresses, service.owner_id, service.slug, row.version),
    }),
  };
}
