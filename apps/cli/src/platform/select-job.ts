import type { Service, ServiceVersion, SharedService, SharedServiceVersion } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import { isMeant, splitVersion } from './select-service.ts';
import type { Session } from './session.ts';

interface SelectedJob {
  readonly serviceId: string;
  readonly version: string;
}

/**
 * Selects the version to run as the user. For an own service it is the newest built version, draft or not; for a shared
 * service, the newest that the share opens. `@version` selects another.
 */
export async function selectJob(session: Session, wanted: string): Promise<SelectedJob> {
  const { name, version } = splitVersion(wanted);
  const meant = (one: { id: string; name: string; slug: string }) => isMeant(name, one.id, one.name, one.slug);
  const own = await session.platform.listServices();
  const ownService = own.find(meant);
  // A token that is limited to own services may not read those of others.
  const shared = ownService ? [] : await session.platform.listSharedServices();
  const service = ownService ?? shared.find(meant);
  if (!service) {
    const names = [...own, ...shared].map(({ slug }) => slug).join(', ');
    const known = names === '' ? ' You have none yet.' : ` There is: ${names}.`;
    const message = `No service "${wanted}" is yours or shared with you.${known}`;
    throw new CliFailure('notFound', 'service-not-found', message, ['ket services']);
  }
  const versions = runnable(service);
  const found = version === undefined ? versions[0] : versions.find((one) => one === version);
  if (found !== undefined) return { serviceId: service.id, version: found };
  const what = version === undefined ? 'no version that can be run' : `no version ${version} that can be run`;
  const there = versions.length > 0 ? ` There is: ${versions.join(', ')}.` : '';
  throw new CliFailure('notFound', 'not-runnable', `The service "${service.name}" has ${what}.${there}`, [
    'ket services',
  ]);
}

/**
 * Newest first. For a service that runs elsewhere: its published versions. The platform says whether it has a job
 * interface.
 */
function runnable(service: Service | SharedService): string[] {
  const { type, versions } = service;
  const isReady = type === 'ON_PREMISE' ? isPublished : isBuilt;
  return versions.filter(isReady).map(({ version }) => version);
}

/** A shared version is published. */
function isPublished(version: ServiceVersion | SharedServiceVersion): boolean {
  return !('state' in version) || version.state === 'PUBLISHED';
}

/** A shared version lists the interfaces that the share opens. */
function isBuilt(version: ServiceVersion | SharedServiceVersion): boolean {
  if ('opens' in version) return version.opens.includes('JOBS');
  const isReady = version.workflow ? version.workflow.problems.length === 0 : version.build?.status === 'SUCCEEDED';
  return version.state !== 'RETIRED' && isReady;
}
