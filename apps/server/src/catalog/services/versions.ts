import type { RuntimeConfiguration } from '@kethub/contract';
import type { Insertable } from 'kysely';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { type Queries, type ServiceRow, type ServiceVersionRow } from '../../foundation/storage/index.ts';
import { requireBuildSlot } from './builds/index.ts';
import { everyVersion, findService, findVersion, newestVersions, type VersionRow } from './queries.ts';
import type { Source } from './source.ts';
import { useSource } from './use-source.ts';
import { nextVersion } from './version-number.ts';

/** A version, named by its owner, service and number. */
export interface VersionRef {
  readonly owner: Context;
  readonly serviceId: string;
  /** Its number, such as `1.0.0`. */
  readonly version: string;
}

/** Returns a service of `owner`. Throws not-found. */
export async function requireService(queries: Queries, owner: Context, id: string): Promise<ServiceRow> {
  const row = await findService(queries, owner, id);
  if (!row) throw new Problem('not-found', `You have no service ${id}.`);
  return row;
}

/** Returns a version of a service of `owner`. Throws not-found. */
export async function requireVersion(
  queries: Queries,
  { owner, serviceId, version }: VersionRef,
): Promise<{ service: ServiceRow; row: VersionRow }> {
  const service = await requireService(queries, owner, serviceId);
  const row = await findVersion(queries, serviceId, version);
  if (row) return { service, row };
  const known = (await newestVersions(queries, [serviceId])).map((one) => one.version).join(', ');
  throw new Problem(
    'not-found',
    `The service ${service.name} has no version ${version}. Its newest are ${known || 'none'}.`,
  );
}

/**
 * Returns a version with a source: one of a managed or a workflow service. Throws not-found, also for on-premise
 * services.
 */
export async function requireSourceVersion(
  queries: Queries,
  at: VersionRef,
): Promise<{ service: ServiceRow; row: VersionRow }> {
  const found = await requireVersion(queries, at);
  if (found.service.type !== 'ON_PREMISE') return found;
  throw new Problem('not-found', `The service ${found.service.name} runs elsewhere: it has no source here.`);
}

/** Returns a version of a managed service. Throws not-found, also for services of another type. */
export async function requireManagedVersion(
  queries: Queries,
  at: VersionRef,
): Promise<{ service: ServiceRow; row: VersionRow }> {
  const found = await requireVersion(queries, at);
  if (found.service.type === 'MANAGED') return found;
  throw new Problem(
    'not-found',
    `The service ${found.service.name} is not a managed one: it has no source, configuration or build.`,
  );
}

/** Throws version-published for a version that is no draft: only drafts can be changed. */
export function requireDraft(row: Pick<VersionRow, 'state' | 'version'>): void {
  if (row.state !== 'DRAFT') {
    throw new Problem(
      'version-published',
      `Version ${row.version} is ${row.state} and cannot be changed. Make the next version.`,
    );
  }
}

/** The number of the next version. Throws conflict while there is a draft: a service has one at a time. */
export async function nextNumber(queries: Queries, serviceId: string, wanted?: string): Promise<string> {
  const versions = await everyVersion(queries, serviceId);
  const draft = versions.find(({ state }) => state === 'DRAFT');
  if (draft)
    throw new Problem('conflict', `Version ${draft.version} is still a draft. Change it, or publish it first.`);
  return nextVersion(
    versions.map(({ version }) => version),
    wanted,
  );
}

/** The columns of a version that name its source, and what it was taken from. */
export function sourceColumns({ blob, bytes, digest, origin }: Pick<Source, 'blob' | 'bytes' | 'digest' | 'origin'>) {
  return {
    source_blob: blob,
    source_bytes: bytes,
    source_digest: digest,
    source_implementation_id: origin?.implementationId ?? null,
    source_ref: origin?.ref ?? null,
    source_commit: origin?.commit ?? null,
  };
}

/** The columns of a version without a source or a build: on-premise, or not built yet. */
const NOTHING = {
  configuration: '{}',
  source_blob: '',
  source_bytes: 0,
  source_digest: '',
  build_id: '',
  code: null,
  parameters: null,
} as const;

/** Adds the row of a draft version, inside a transaction. Returns its id. */
export async function insertVersion(
  platform: Platform,
  transaction: Queries,
  serviceId: string,
  version: string,
  columns: Partial<Insertable<ServiceVersionRow>>,
): Promise<string> {
  const id = platform.newId();
  await transaction
    .insertInto('service_versions')
    .values({
      ...NOTHING,
      ...columns,
      id,
      service_id: serviceId,
      version,
      state: 'DRAFT',
      visibility: 'NONE',
      created_at: platform.now(),
      published_at: null,
      revision: 1,
    })
    .execute();
  return id;
}

/** Adds a draft version with a pending build, inside a transaction. */
export async function insertDraft(
  platform: Platform,
  transaction: Queries,
  serviceId: string,
  version: string,
  source: Source,
  configuration: RuntimeConfiguration,
): Promise<{ versionId: string; buildId: string }> {
  const buildId = platform.newId();
  await useSource(platform, transaction, serviceId, source);
  const versionId = await insertVersion(platform, transaction, serviceId, version, {
    ...sourceColumns(source),
    configuration: JSON.stringify(configuration),
    runtime: configuration.runtime,
    build_id: buildId,
  });
  await insertBuild(platform, transaction, buildId, versionId);
  return { versionId, buildId };
}

/** Adds a pending build for a version, inside a transaction. Throws too-many-builds. */
export async function insertBuild(
  platform: Pick<Platform, 'configuration' | 'now'>,
  transaction: Queries,
  id: string,
  versionId: string,
): Promise<void> {
  const { owner_id } = await transaction
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select('services.owner_id')
    .where('service_versions.id', '=', versionId)
    .executeTakeFirstOrThrow();
  await requireBuildSlot(platform, transaction, owner_id, versionId);
  await transaction
    .insertInto('builds')
    .values({
      id,
      service_version_id: versionId,
      status: 'PENDING',
      created_at: platform.now(),
      started_at: null,
      ended_at: null,
      problem: null,
      log: null,
      log_blob: null,
      worker_id: null,
      cpus: null,
      memory_bytes: null,
      log_bytes: null,
    })
    .execute();
}
