import { Problem } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import {
  findService,
  findVersion,
  newestPublished,
  requireDeployable,
  stateOf,
  type VersionRow,
} from '../services/index.ts';
import { findSharedService } from '../sharing/index.ts';
import type { ServiceRow } from '../storage/index.ts';

/**
 * The version that somebody may run as a job: of a service of their own, a published one or, by its number, the draft
 * whose build has succeeded; of a service that is shared with them now, a published one. Without a number the newest
 * published one whose retirement is not announced. Throws not-found, conflict and build-not-succeeded.
 */
export async function requireRunnable(
  platform: Platform,
  context: Context,
  serviceId: string,
  version: string | null,
): Promise<Runnable> {
  const { database, now } = platform;
  const own = await findService(database.read, context, serviceId);
  const service = own ?? (await findSharedService(database.read, context, serviceId, now()));
  if (!service) throw new Problem('not-found', `No service ${serviceId} is yours or shared with you.`);
  if (service.type === 'ON_PREMISE')
    throw new Problem('conflict', 'A service that runs elsewhere cannot be run as a job.');
  const isWorkflow = service.type === 'WORKFLOW';
  const named = version === null ? undefined : await findVersion(database.read, serviceId, version);
  const runnable = named && (own ? await ownVersion(platform, own, named) : stateOf(named, now()) === 'PUBLISHED');
  const { id, parameters, runtime } = named && runnable ? named : await newest(platform, service, version);
  return { id, parameters, runtime, isWorkflow };
}

/** What is run, as a job. */
type Runnable = Pick<VersionRow, 'id' | 'parameters' | 'runtime'> & { readonly isWorkflow: boolean };

/** Whether it can be run; whose service it is learns why not. */
async function ownVersion({ database, now }: Platform, service: ServiceRow, named: VersionRow): Promise<boolean> {
  const state = stateOf(named, now());
  if (state === 'RETIRED') throw new Problem('conflict', `Version ${named.version} is retired. Run a newer one.`);
  if (state === 'PUBLISHED') return true;
  if (service.type === 'WORKFLOW') {
    await requireDeployable(database.read, service, named.id);
    return true;
  }
  if (named.build_status === 'SUCCEEDED') return true;
  throw new Problem(
    'build-not-succeeded',
    `The build of version ${named.version} is ${named.build_status}. Only what is built can be run.`,
  );
}

async function newest(
  { database, now }: Platform,
  service: ServiceRow,
  version: string | null,
): Promise<Pick<VersionRow, 'id' | 'parameters' | 'runtime'>> {
  const published = await newestPublished(database.read, [service.id], now());
  const found = published.find(({ sunset_at }) => sunset_at === null) ?? published[0];
  if (version === null && found) return found;
  const there = published.map((one) => one.version).join(', ') || 'none';
  throw new Problem(
    'not-found',
    `The service ${service.name} has no published version${version === null ? '' : ` ${version}`}. Published: ${there}.`,
  );
}
