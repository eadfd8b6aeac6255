import { toTimestamp, type Build, type Service, type ServiceVersion } from '@kethub/contract';
import { originIn } from './source.ts';
import { presentTarget, type TargetColumns } from '../on-premise/index.ts';
import { serviceEndpoint, type Platform } from '../../foundation/platform.ts';
import type { BuildRow, ServiceRow } from '../../foundation/storage/index.ts';
import type { VersionWithBuild } from './queries.ts';
import { presentWorkflow, type WorkflowColumns } from './workflow/index.ts';

/** Parses JSON of a row, which this program validated when it wrote it. */
function stored<T>(json: string): T {
  return JSON.parse(json) as T;
}

export function presentBuild(
  row: Omit<BuildRow, 'log' | 'log_blob' | 'log_bytes' | 'service_version_id' | 'worker_id' | 'cpus' | 'memory_bytes'>,
): Build {
  return {
    id: row.id,
    status: row.status,
    createdAt: toTimestamp(row.created_at),
    ...(row.started_at !== null && { startedAt: toTimestamp(row.started_at) }),
    ...(row.ended_at !== null && { endedAt: toTimestamp(row.ended_at) }),
    ...(row.problem !== null && { problem: stored(row.problem) }),
  };
}

export function presentVersion(
  row: VersionWithBuild,
  service: ServiceRow,
  { addresses, now }: Pick<Platform, 'addresses' | 'now'>,
): ServiceVersion {
  const state = stateOf(row, now());
  return {
    version: row.version,
    state,
    createdAt: toTimestamp(row.created_at),
    ...(row.published_at !== null && { publishedAt: toTimestamp(row.published_at) }),
    ...(state !== 'DRAFT' && { visibility: row.visibility === 'INTERNAL' ? 'INTERNAL' : 'SHARED' }),
    ...(row.deprecated_at !== null &&
      row.sunset_at !== null && {
        retirement: { announcedAt: toTimestamp(row.deprecated_at), sunset: toTimestamp(row.sunset_at) },
      }),
    ...presentSource(row),
    ...(row.parameters && { parameters: stored(row.parameters) }),
    ...(state === 'PUBLISHED' && {
      endpoint: serviceEndpoint(addresses, service.owner_id, service.slug, row.version),
    }),
  };
}

/** The state of a version at the moment `now`: a published version is RETIRED from its sunset on. */
export function stateOf(row: Pick<VersionWithBuild, 'state' | 'sunset_at'>, now: number): ServiceVersion['state'] {
  return row.state === 'PUBLISHED' && row.sunset_at !== null && row.sunset_at <= now ? 'RETIRED' : row.state;
}

/** The origin of a version: its uploaded source and build, or its target. */
function presentSource(row: VersionWithBuild): Partial<ServiceVersion> {
  const target = targetOf(row);
  if (target) return { target: presentTarget(target) };
  const workflow = workflowOf(row);
  if (workflow)
    return { workflow: presentWorkflow(workflow), sourceBytes: row.source_bytes, sourceDigest: row.source_digest };
  if (row.build_status === null || row.build_created_at === null) throw new Error('A managed version without a build');
  return {
    configuration: stored(row.configuration),
    apiSpecification: row.specification_origin,
    sourceBytes: row.source_bytes,
    sourceDigest: row.source_digest,
    ...presentOrigin(row),
    build: presentBuild({
      id: row.build_id,
      status: row.build_status,
      created_at: row.build_created_at,
      started_at: row.build_started_at,
      ended_at: row.build_ended_at,
      problem: row.build_problem,
    }),
  };
}

function presentOrigin(row: VersionWithBuild): Pick<ServiceVersion, 'origin'> {
  const origin = originIn(row);
  return origin ? { origin } : {};
}

/** The workflow of a version; null for services of other types. */
function workflowOf(row: VersionWithBuild): WorkflowColumns | null {
  if (row.workflow_problems === null) return null;
  return {
    application_id: row.workflow_application_id,
    process_id: row.workflow_process_id,
    requirements: row.workflow_requirements,
    problems: row.workflow_problems,
  };
}

/** The target of a version of an on-premise service; null for other services. */
export function targetOf(row: VersionWithBuild): TargetColumns | null {
  if (row.target_url === null || row.target_timeout_ms === null) return null;
  return {
    url: row.target_url,
    timeout_ms: row.target_timeout_ms,
    sealed_credentials: row.target_sealed_credentials,
  };
}

export function presentService(
  row: ServiceRow,
  versions: readonly VersionWithBuild[],
  platform: Pick<Platform, 'addresses' | 'now'>,
): Service {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    description: row.description,
    owner: { type: row.owner_type, id: row.owner_id },
    createdAt: toTimestamp(row.created_at),
    versions: versions.map((version) => presentVersion(version, row, platform)),
  };
}
