import { limits, type serviceTypes, type ServiceRuntime, type versionStates } from '@kethub/contract';
import { sql } from 'kysely';
import type { Context } from '../../foundation/platform.ts';
import { containing, isAmong, type Database, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import type { Needs } from '../../foundation/workers/index.ts';

/** The SQL of services, versions and builds. Services are read by their owner. */

/** Services of an owner after `cursor`, newest first. */
export function pageOfServices(
  { read }: Database,
  owner: Context,
  { q, type, state, now }: ServiceFilter & { readonly now: number },
  cursor: string | null,
  limit: number,
) {
  const rows = read
    .selectFrom('services')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where(q === undefined ? sql<boolean>`true` : containing('services.name', q))
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? 'MANAGED'))
    .where(({ exists }) => (state === undefined ? sql<boolean>`true` : exists(inState(read, state, now))))
    .orderBy('id', 'desc')
    .limit(limit);
  const { serviceIds } = owner;
  const shown = serviceIds ? rows.where('id', 'in', [...serviceIds]) : rows;
  return (cursor === null ? shown : shown.where('id', '<', cursor)).execute();
}

/** The versions of a service of the statement around it that are in a state at the moment `now`. */
function inState(queries: Queries, state: (typeof versionStates)[number], now: number) {
  const rows = queries
    .selectFrom('service_versions')
    .select(sql<number>`1`.as('one'))
    .where(sql<boolean>`service_versions.service_id = services.id`)
    .where('state', '=', state === 'DRAFT' ? 'DRAFT' : 'PUBLISHED');
  if (state === 'DRAFT') return rows;
  return state === 'RETIRED'
    ? rows.where('sunset_at', '<=', now)
    : rows.where((is) => is.or([is('sunset_at', 'is', null), is('sunset_at', '>', now)]));
}

/** Restricts a list of services: part of a name, the type, and a state that one of its versions is in. */
export interface ServiceFilter {
  readonly q?: string | undefined;
  readonly type?: (typeof serviceTypes)[number] | undefined;
  readonly state?: (typeof versionStates)[number] | undefined;
}

/** Reads a service of `owner`. In a transaction of PostgreSQL its row is locked until the transaction ends. */
export function findService(queries: Queries, owner: Context, id: string) {
  const service = queries
    .selectFrom('services')
    .selectAll()
    .where('id', '=', id)
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id);
  return (queries.isTransaction ? service.forNoKeyUpdate() : service).executeTakeFirst();
}

/** Versions with their builds or targets, without the columns that may be long. */
function versions(queries: Queries) {
  return queries
    .selectFrom('service_versions')
    .leftJoin('builds', 'builds.id', 'service_versions.build_id')
    .leftJoin('on_premise_targets', 'on_premise_targets.service_version_id', 'service_versions.id')
    .leftJoin('api_specifications', 'api_specifications.service_version_id', 'service_versions.id')
    .leftJoin('workflow_versions', 'workflow_versions.service_version_id', 'service_versions.id')
    .select([
      'service_versions.id',
      'service_id',
      'version',
      'state',
      'visibility',
      'configuration',
      'source_blob',
      'source_bytes',
      'source_digest',
      'source_implementation_id',
      'source_ref',
      'source_commit',
      'build_id',
      'service_versions.created_at',
      'published_at',
      'deprecated_at',
      'sunset_at',
      'revision',
      'builds.status as build_status',
      'builds.created_at as build_created_at',
      'builds.started_at as build_started_at',
      'builds.ended_at as build_ended_at',
      'builds.problem as build_problem',
      'on_premise_targets.url as target_url',
      'on_premise_targets.timeout_ms as target_timeout_ms',
      'on_premise_targets.sealed_credentials as target_sealed_credentials',
      'workflow_versions.application_id as workflow_application_id',
      'workflow_versions.process_id as workflow_process_id',
      'workflow_versions.requirements as workflow_requirements',
      'workflow_versions.problems as workflow_problems',
      sql<'UPLOADED' | 'DERIVED' | 'DEFAULT'>`case
        when api_specifications.service_version_id is not null then 'UPLOADED'
        when derived_schemas is not null then 'DERIVED' else 'DEFAULT' end`.as('specification_origin'),
    ]);
}

const rank = sql<number>`row_number() over (partition by service_id order by service_versions.id desc)`.as('rank');

/** The newest versions of each of these services, newest first. */
export function newestVersions(queries: Queries, serviceIds: readonly string[]) {
  const numbered = versions(queries)
    .select(rank)
    .where(isAmong(queries, 'service_id', serviceIds));
  return queries
    .selectFrom(numbered.as('numbered'))
    .selectAll()
    .where('rank', '<=', limits.versionsShown)
    .orderBy('id', 'desc')
    .execute();
}

/** Returns whether pushes to an implementation become versions of a service. */
export async function hasSource(queries: Queries, serviceId: string): Promise<boolean> {
  const row = await queries
    .selectFrom('service_sources')
    .select('service_id')
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest versions of each of these services that can be started, newest first, with their parameters. */
export function newestPublished(queries: Queries, serviceIds: readonly string[], now: number) {
  const numbered = versions(queries)
    .select([rank, 'parameters', 'runtime'])
    .where(isAmong(queries, 'service_id', serviceIds))
    .where('state', '=', 'PUBLISHED')
    .where((is) => is.or([is('sunset_at', 'is', null), is('sunset_at', '>', now)]));
  return queries
    .selectFrom(numbered.as('numbered'))
    .selectAll()
    .where('rank', '<=', limits.versionsShown)
    .orderBy('id', 'desc')
    .execute();
}
export type PublishedVersion = Awaited<ReturnType<typeof newestPublished>>[number];

/**
 * Reads the versions of these services that recipients of a share may run, newest first. These are the published
 * versions that can be started; for a service without any, its draft, once that is built or valid. On-premise services
 * are included, although they have no job interface.
 */
export async function sharedVersions(
  queries: Queries,
  serviceIds: readonly string[],
  now: number,
): Promise<PublishedVersion[]> {
  const published = await newestPublished(queries, serviceIds, now);
  const having = new Set(published.map(({ service_id }) => service_id));
  const others = serviceIds.filter((id) => !having.has(id));
  if (others.length === 0) return published;
  const drafts = await versions(queries)
    .select([rank, 'parameters', 'runtime'])
    .where(isAmong(queries, 'service_id', others))
    .where('state', '=', 'DRAFT')
    .where((is) =>
      is.or([
        is('builds.status', '=', 'SUCCEEDED'),
        is('workflow_versions.requirements', 'is not', null),
        is('on_premise_targets.url', 'is not', null),
      ]),
    )
    .execute();
  return [...published, ...drafts];
}

/** Versions of a service after `cursor`, newest first. */
export function pageOfVersions({ read }: Database, serviceId: string, cursor: string | null, limit: number) {
  const rows = versions(read).where('service_id', '=', serviceId).orderBy('service_versions.id', 'desc').limit(limit);
  return (cursor === null ? rows : rows.where('service_versions.id', '<', cursor)).execute();
}

/** Finds one version, with the parameters and schemas that its build derived. */
export function findVersion(queries: Queries, serviceId: string, version: string) {
  return versions(queries)
    .select(['parameters', 'runtime', 'derived_schemas', 'api_specifications.document as specification'])
    .where('service_id', '=', serviceId)
    .where('version', '=', version)
    .executeTakeFirst();
}
export type VersionRow = NonNullable<Awaited<ReturnType<typeof findVersion>>>;
/** A version read in a list or alone. */
export type VersionWithBuild = Awaited<ReturnType<typeof pageOfVersions>>[number] &
  Partial<Pick<VersionRow, 'parameters'>>;

/** Reads the parts of the API specification of a version; none for an on-premise service. */
export function findSpecified(queries: Queries, serviceId: string, versionId: string) {
  return queries
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .leftJoin('api_specifications', 'api_specifications.service_version_id', 'service_versions.id')
    .leftJoin('workflow_versions', 'workflow_versions.service_version_id', 'service_versions.id')
    .select([
      'name',
      'description',
      'type',
      'version',
      'derived_schemas',
      'api_specifications.document as specification',
    ])
    .select('workflow_versions.requirements as workflow_requirements')
    .where('services.id', '=', serviceId)
    .where('service_versions.id', '=', versionId)
    .where('services.type', '!=', 'ON_PREMISE')
    .executeTakeFirst();
}

/** Reads the numbers and states of all versions of a service. */
export function everyVersion(queries: Queries, serviceId: string) {
  return queries
    .selectFrom('service_versions')
    .select(['version', 'state'])
    .where('service_id', '=', serviceId)
    .execute();
}

/** The blobs of all versions of a service: sources and long logs of builds. On-premise versions have no source. */
export async function blobsOf(queries: Queries, serviceId: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('service_versions')
    .leftJoin('builds', 'builds.service_version_id', 'service_versions.id')
    .select(['source_blob', 'log_blob'])
    .where('service_id', '=', serviceId)
    .execute();
  return [...new Set(rows.flatMap(({ source_blob, log_blob }) => [source_blob, log_blob ?? ''].filter(Boolean)))];
}

/** Returns whether a service has a version that subscribers may rely on. */
export async function hasPublished(queries: Queries, serviceId: string): Promise<boolean> {
  const row = await queries
    .selectFrom('service_versions')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('state', '!=', 'DRAFT')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export function insertService(transaction: Queries, row: ServiceRow) {
  return transaction.insertInto('services').values(row).execute();
}

export function findBuild(queries: Queries, id: string) {
  return queries.selectFrom('builds').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The running builds of a worker, according to the database. */
export async function buildsOfWorker(queries: Queries, workerId: string): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('builds')
    .select('id')
    .where('worker_id', '=', workerId)
    // Literals, because SQLite uses a partial index only when the statement shows that its condition holds.
    .where(sql<boolean>`builds.status in ('PENDING', 'RUNNING') and builds.status = 'RUNNING'`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** For the poll of a worker: 0 if it may have to claim a build, or to release one that is not running here. */
export function buildsWait(workerId: string) {
  return sql<number | null>`(select 0 from builds where builds.status in ('PENDING', 'RUNNING')
    and (builds.status = 'PENDING' or worker_id = ${workerId}) limit 1)`;
}

/** Returns those of these digests that are the source of a version for a runtime. */
export async function neededSources(
  database: Database,
  runtime: ServiceRuntime,
  digests: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.read
    .selectFrom('service_versions')
    .select('source_digest')
    .distinct()
    .where('runtime', '=', runtime)
    .where(isAmong(database.read, 'source_digest', digests))
    .execute();
  return new Set(rows.map(({ source_digest }) => source_digest));
}

/** Claims a waiting build for a worker. Returns false when another worker has it, or when it has ended. */
export async function claimBuild(
  transaction: Queries,
  id: string,
  workerId: string,
  { cpus, memoryBytes }: Pick<Needs, 'cpus' | 'memoryBytes'>,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('builds')
    .set({ status: 'RUNNING', started_at: now, worker_id: workerId, cpus, memory_bytes: memoryBytes })
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns builds of a worker to the queue, for another worker or its next process. */
export function releaseBuilds(transaction: Queries, workerId: string, ids: readonly string[]) {
  return transaction
    .updateTable('builds')
    .set({ status: 'PENDING', started_at: null, worker_id: null, cpus: null, memory_bytes: null })
    .where(isAmong(transaction, 'id', ids))
    .where('status', '=', 'RUNNING')
    .where('worker_id', '=', workerId)
    .returning('id')
    .execute();
}
