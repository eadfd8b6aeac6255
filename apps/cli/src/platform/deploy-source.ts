import { isDeepStrictEqual } from 'node:util';
import { isBuilt, serviceForm, type PlatformClient } from '@kethub/client';
import type { Build, ManagedVersion, RuntimeConfiguration, Service, ServiceVersion } from '@kethub/contract';
import { CliFailure } from '../failures.ts';

export interface Source {
  readonly name: string;
  readonly description: string;
  /** Complete, with the platform's defaults. */
  readonly configuration: RuntimeConfiguration;
  readonly source: Blob;
  /** SHA-256 of the source, in hex. */
  readonly digest: string;
  /** Called just before an upload, which happens only if the platform does not have the source. */
  readonly onUpload: () => void;
  readonly signal: AbortSignal;
}

/** The version with the source, and its build. */
export interface Deployed {
  readonly service: Pick<Service, 'id' | 'name' | 'slug'>;
  readonly version: string;
  readonly state: ServiceVersion['state'];
  readonly build: Build;
  /** The kind of change. `none`: the platform had the source already. */
  readonly change: 'service' | 'version' | 'draft' | 'none';
}

/**
 * Brings a source to the platform: as a new service, as the draft of an existing one, or as its next version. The same
 * source and configuration change nothing, except that a failed build is tried again, as its cause may be gone.
 */
export async function deploySource(platform: PlatformClient, source: Source): Promise<Deployed> {
  const services = await platform.listServices({ signal: source.signal });
  const service = services.find(({ name }) => name === source.name.trim());
  if (!service) return createService(platform, source);
  if (service.type !== 'MANAGED') {
    throw new CliFailure(
      'refused',
      'not-managed',
      `The service "${service.name}" is of the type ${service.type}, for which no code is uploaded.`,
      ['Choose another name in kethub.json.'],
    );
  }
  if (service.description !== source.description)
    await platform.updateService({
      serviceId: service.id,
      json: { description: source.description },
      signal: source.signal,
    });
  const [newest] = service.versions.filter(isManaged);
  if (newest && isTheSame(newest, source)) return { service, ...newest, change: 'none' };
  return newest?.state === 'DRAFT'
    ? changeDraft(platform, service, newest, source)
    : addVersion(platform, service, source);
}

function isTheSame({ sourceDigest, configuration, build }: ManagedVersion, source: Source): boolean {
  if (isBuilt(build) && build.status === 'FAILED') return false;
  return sourceDigest === source.digest && isSameConfiguration(configuration, source.configuration);
}

function isSameConfiguration(a: ManagedVersion['configuration'], b: RuntimeConfiguration): boolean {
  return isDeepStrictEqual({ ...a, environment: { ...a.environment } }, { ...b, environment: { ...b.environment } });
}

async function createService(
  platform: PlatformClient,
  { digest: _digest, onUpload, signal, ...source }: Source,
): Promise<Deployed> {
  onUpload();
  const service = await platform.createService({ body: serviceForm(source), signal });
  const [version] = service.versions.filter(isManaged);
  if (!version) throw new Error('The platform created a service without a version');
  return { service, ...version, change: 'service' };
}

async function changeDraft(
  platform: PlatformClient,
  service: Service,
  draft: ManagedVersion,
  { configuration, source, digest, onUpload, signal }: Source,
): Promise<Deployed> {
  const { version, state } = draft;
  if (!isSameConfiguration(draft.configuration, configuration))
    await platform.configureServiceVersion({ serviceId: service.id, version, json: configuration, signal });
  const replaces = draft.sourceDigest !== digest || draft.build.status === 'FAILED';
  if (replaces) onUpload();
  const build = replaces
    ? await platform.replaceSource({ serviceId: service.id, version, body: source, signal })
    : draft.build;
  if (!('status' in build)) throw new Error('The platform takes the code for a workflow');
  return { service, version, state, build, change: 'draft' };
}

async function addVersion(
  platform: PlatformClient,
  service: Service,
  { configuration, source, onUpload, signal }: Source,
): Promise<Deployed> {
  onUpload();
  const added = await platform.addServiceVersion({ serviceId: service.id, body: source, signal });
  if (!isManaged(added)) throw new Error('The platform added a version without a build');
  if (!isSameConfiguration(added.configuration, configuration))
    await platform.configureServiceVersion({
      serviceId: service.id,
      version: added.version,
      json: configuration,
      signal,
    });
  return { service, ...added, change: 'version' };
}

/** Returns whether a version is uploaded code, and not a workflow or a service that runs elsewhere. */
function isManaged(version: ServiceVersion): version is ManagedVersion {
  return version.build !== undefined;
}
