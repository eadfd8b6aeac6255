import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import {
  findService,
  findVersion,
  programOf,
  requireDeployable,
  sharedVersions,
  stateOf,
  type Program,
  type VersionRow,
} from '../../catalog/services/index.ts';
import { findSharedService } from '../../catalog/sharing/index.ts';
import type { Queries, ServiceRow } from '../../foundation/storage/index.ts';
import type { Origin } from '../executions/index.ts';
import { jobScope } from './scope.ts';

/**
 * Finds the version that a person may run as a job. Owners may run published versions and, by its number, a draft whose build
 * has succeeded. Recipients of a share may run published versions, also those that applications may not call. They may
 * run the built draft while no published version can be started. Without a number it is the newest version without an
 * announced retirement. Throws not-found, conflict, build-not-succeeded.
 */
async function requireRunnable(
  platform: Platform,
  context: Context,
  serviceId: string,
  version: string | null,
): Promise<Runnable> {
  const { database, now } = platform;
  const own = await findService(database.read, context, serviceId);
  const service = own ?? (await findSharedService(database.read, context, serviceId, now()));
  if (!service) throw new Problem('not-found', `No service ${serviceId} is yours or shared with you.`);
  if (service.type === 'ON_PREMISE') throw noJobs(service);
  const named = version === null ? undefined : await findVersion(database.read, serviceId, version);
  const runnable = named && (own ? await ownVersion(platform, own, named) : stateOf(named, now()) === 'PUBLISHED');
  const { id, parameters, runtime } = named && runnable ? named : await newest(platform, service, version);
  return { id, program: programOf({ type: service.type, parameters, runtime }) };
}

/** A service version that a job runs. */
interface Runnable {
  readonly id: string;
  readonly program: Program;
}

function noJobs({ name }: ServiceRow): Problem {
  return new Problem(
    'conflict',
    `The service ${name} runs elsewhere: it has no job interface. Once it is published internally, applications of its owner and of those it is shared with call it through the gateway.`,
  );
}

/** Returns whether the owner may run a version. Throws conflict, build-not-succeeded, which say why not. */
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

/** The newest version that can be run, or the version of this number. Throws not-found. */
async function newest(
  { database, now }: Platform,
  service: ServiceRow,
  version: string | null,
): Promise<Pick<VersionRow, 'id' | 'parameters' | 'runtime'>> {
  const open = await sharedVersions(database.read, [service.id], now());
  const found =
    version === null
      ? (open.find(({ sunset_at }) => sunset_at === null) ?? open[0])
      : open.find((one) => one.version === version);
  if (found && (found.state !== 'DRAFT' || (await isDeployable(database.read, service, found.id)))) return found;
  const there = open.map((one) => one.version).join(', ') || 'none';
  throw new Problem(
    'not-found',
    `The service ${service.name} has no version${version === null ? '' : ` ${version}`} that can be run. Can be run: ${there}.`,
  );
}

/** Returns whether the draft of a workflow can be run. The reasons against it are shown to its owner only. */
async function isDeployable(queries: Queries, service: ServiceRow, versionId: string): Promise<boolean> {
  if (service.type !== 'WORKFLOW') return true;
  try {
    await requireDeployable(queries, service, versionId);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** The way in which a person runs a service, without an application. Throws what `requireRunnable` throws. */
export async function originOfJob(
  platform: Platform,
  context: Context,
  serviceId: string,
  version: string | null,
): Promise<Origin> {
  const { id, program } = await requireRunnable(platform, context, serviceId, version);
  return {
    scope: jobScope(platform, context),
    subscriptionId: null,
    applicationId: null,
    owner: { type: context.type, id: context.id },
    personId: context.personId,
    serviceId,
    serviceVersionId: id,
    program,
  };
}
