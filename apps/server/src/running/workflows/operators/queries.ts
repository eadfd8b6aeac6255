import { sql, type ExpressionBuilder } from 'kysely';
import type { Queries, Tables, WorkflowInstanceRow } from '../../../foundation/storage/index.ts';

/** SQL for operators of instances. Each query includes the owner of the service. */

export interface Owner {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

function instancesOf(queries: Queries, owner: Owner) {
  return queries
    .selectFrom('workflow_instances')
    .innerJoin('service_versions', 'service_versions.id', 'workflow_instances.service_version_id')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .innerJoin('executions', 'executions.id', 'workflow_instances.execution_id')
    .leftJoin('workflow_versions', 'workflow_versions.service_version_id', 'workflow_instances.service_version_id')
    .where('services.owner_type', '=', owner.type)
    .where('services.owner_id', '=', owner.id)
    .select([
      'workflow_instances.id',
      'workflow_instances.execution_id',
      'workflow_instances.parent_id',
      'workflow_instances.parent_child',
      'workflow_instances.service_version_id',
      'workflow_instances.process_id',
      'workflow_instances.phase',
      'workflow_instances.incidents',
      'workflow_instances.child_incidents',
      'workflow_instances.revision',
      'workflow_instances.created_at',
      'workflow_instances.ended_at',
      'workflow_versions.process_id as main_process_id',
      'service_versions.service_id',
      'service_versions.version',
      'executions.owner_type',
      'executions.owner_id',
    ]);
}

/** Finds an instance; undefined when the service has another owner. */
export function findInstance(queries: Queries, owner: Owner, id: string) {
  return instancesOf(queries, owner).where('workflow_instances.id', '=', id).executeTakeFirst();
}
export type InstanceRow = NonNullable<Awaited<ReturnType<typeof findInstance>>>;

/** Conditions on instances, all of which must hold. Times in milliseconds. */
export interface InstanceFilter {
  readonly phase?: WorkflowInstanceRow['phase'];
  readonly version?: string;
  /** True if they have open incidents, or what they have called has. */
  readonly hasIncidents?: boolean;
  /** The element and the error code of an open incident that they have. */
  readonly elementId?: string;
  readonly errorCode?: string;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
}

/** Instances with open incidents, of their own or of what they have called. The index has this condition. */
const stands = sql<boolean>`workflow_instances.incidents + workflow_instances.child_incidents > 0`;

/** The filter as a condition of SQL. */
function matching(filter: InstanceFilter) {
  const { phase, version, hasIncidents, elementId, errorCode, createdFrom, createdBefore } = filter;
  return (where: ExpressionBuilder<Tables, 'workflow_instances' | 'service_versions'>) =>
    where.and([
      ...(phase === undefined ? [] : [where('workflow_instances.phase', '=', phase)]),
      ...(version === undefined ? [] : [where('service_versions.version', '=', version)]),
      ...(hasIncidents === undefined ? [] : [hasIncidents ? stands : sql<boolean>`not (${stands})`]),
      ...(elementId === undefined && errorCode === undefined ? [] : [standsStill(where, { elementId, errorCode })]),
      ...(createdFrom === undefined ? [] : [where('workflow_instances.created_at', '>=', createdFrom)]),
      ...(createdBefore === undefined ? [] : [where('workflow_instances.created_at', '<', createdBefore)]),
    ]);
}

function standsStill(
  where: ExpressionBuilder<Tables, 'workflow_instances' | 'service_versions'>,
  { elementId, errorCode }: { elementId: string | undefined; errorCode: string | undefined },
) {
  let incidents = where
    .selectFrom('workflow_incidents')
    .select('workflow_incidents.id')
    .whereRef('workflow_incidents.instance_id', '=', 'workflow_instances.id');
  if (elementId !== undefined) incidents = incidents.where('workflow_incidents.element_id', '=', elementId);
  if (errorCode !== undefined) incidents = incidents.where('workflow_incidents.error_code', '=', errorCode);
  return where.exists(incidents);
}

/** Instances of a service, newest first, after (older than) `cursor`. */
export function pageOfInstances(
  queries: Queries,
  owner: Owner,
  serviceId: string,
  filter: InstanceFilter,
  cursor: string | null,
  limit: number,
): Promise<InstanceRow[]> {
  const rows = instancesOf(queries, owner)
    .where('service_versions.service_id', '=', serviceId)
    .where(matching(filter))
    .orderBy('workflow_instances.id', 'desc')
    .limit(limit);
  return (cursor === null ? rows : rows.where('workflow_instances.id', '<', cursor)).execute();
}

/** Counts of the newest `limit` instances of a service that fit a filter, by phase. */
export async function countInstances(queries: Queries, serviceId: string, filter: InstanceFilter, limit: number) {
  return queries
    .selectFrom((from) =>
      from
        .selectFrom('workflow_instances')
        .innerJoin('service_versions', 'service_versions.id', 'workflow_instances.service_version_id')
        .where('service_versions.service_id', '=', serviceId)
        .where(matching(filter))
        .select(['workflow_instances.phase', stands.as('stands')])
        .orderBy('workflow_instances.id', 'desc')
        .limit(limit)
        .as('newest'),
    )
    .groupBy('phase')
    .select(({ fn }) => [
      'phase',
      fn.countAll<number>().as('instances'),
      fn.sum<number>(sql<number>`case when stands then 1 else 0 end`).as('with_incidents'),
    ])
    .execute();
}

/** Instances that the call activities of an instance have started, newest first. */
export function childrenOf(queries: Queries, owner: Owner, id: string, limit: number): Promise<InstanceRow[]> {
  return instancesOf(queries, owner)
    .where('workflow_instances.parent_id', '=', id)
    .orderBy('workflow_instances.id', 'desc')
    .limit(limit)
    .execute();
}

/** Instances that have not ended, of those that the call activities of an instance have started. */
export function childrenUnderWay(queries: Queries, owner: Owner, id: string) {
  return instancesOf(queries, owner)
    .where('workflow_instances.parent_id', '=', id)
    .where('workflow_instances.phase', 'in', ['NEW', 'RUNNING'])
    .clearSelect()
    .select(['workflow_instances.id', 'workflow_instances.parent_child'])
    .execute();
}

export function jobsOf(queries: Queries, instanceId: string) {
  return queries
    .selectFrom('workflow_jobs')
    .select(['id', 'job', 'state', 'attempts'])
    .where('instance_id', '=', instanceId)
    .execute();
}
