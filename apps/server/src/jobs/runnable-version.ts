import { Problem } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { findService, versionsOf, type VersionWithBuild } from '../services/index.ts';
import { findSharedService } from '../sharing/index.ts';
import type { ServiceRow } from '../storage/index.ts';

/**
 * The version that somebody may run as a job: of a service of their own, a published one or, by its number, the draft
 * whose build has succeeded; of a service that is shared with them now, a published one. Without a number the newest
 * published one. Throws not-found, conflict and build-not-succeeded.
 */
export async function requireRunnable(
  { database, now }: Platform,
  context: Context,
  serviceId: string,
  version: string | null,
): Promise<VersionWithBuild> {
  const own = await findService(database.read, context, serviceId);
  const service = own ?? (await findSharedService(database.read, context, serviceId, now()));
  if (!service) throw new Problem('not-found', `No service ${serviceId} is yours or shared with you.`);
  if (service.type !== 'MANAGED') throw new Problem('conflict', 'Only a managed service can be run as a job.');
  const versions = await versionsOf(database.read, [serviceId]);
  return own ? ownVersion(service, versions, version) : publishedVersion(service, versions, version);
}

function ownVersion(
  service: ServiceRow,
  versions: readonly VersionWithBuild[],
  version: string | null,
): VersionWithBuild {
  const named = versions.find((one) => one.version === version);
  if (named?.state === 'RETIRED')
    throw new Problem('conflict', `Version ${named.version} is retired. Run a newer one.`);
  if (named?.state !== 'DRAFT') return publishedVersion(service, versions, version);
  if (named.code !== null) return named;
  throw new Problem(
    'build-not-succeeded',
    `The build of version ${named.version} is ${named.build_status}. Only what is built can be run.`,
  );
}

function publishedVersion(
  service: ServiceRow,
  versions: readonly VersionWithBuild[],
  version: string | null,
): VersionWithBuild {
  const published = versions.filter(({ state }) => state === 'PUBLISHED');
  const found = version === null ? published[0] : published.find((one) => one.version === version);
  if (found) return found;
  const there = published.map((one) => one.version).join(', ') || 'none';
  throw new Problem(
    'not-found',
    `The service ${service.name} has no published version${version === null ? '' : ` ${version}`}. Published: ${there}.`,
  );
}
