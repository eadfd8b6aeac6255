import { sql } from 'kysely';
import type { Queries, WorkflowInstanceRow } from '../../../foundation/storage/index.ts';

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
  /** True if they have open incidents. */
  readonly hasIncidents?: boolean;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
}

/** Instances of a service, newest first, after (older than) `cursor`. */
export function pageOfInstances(
  queries: Queries,
  owner: Owner,
  serviceId: string,
  { phase, version, hasIncidents, createdFrom, createdBefore }: InstanceFilter,
  cursor: string | null,
  limit: number,
): Promise<InstanceRow[]> {
  let rows = instancesOf(queries, owner)
    .where('service_versions.service_id', '=', serviceId)
    .orderBy('workflow_instances.id', 'desc')
    .limit(limit);
  if (phase !== undefined) rows = rows.where('workflow_instances.phase', '=', phase);
  if (version !== undefined) rows = rows.where('service_versions.version', '=', version);
  if (hasIncidents !== undefined) rows = rows.where('workflow_instances.incidents', hasIncidents ? '>' : '=', 0);
  if (createdFrom !== undefined) rows = rows.where('workflow_instances.created_at', '>=', createdFrom);
  if (createdBefore !== undefined) rows = rows.where('workflow_instances.created_at', '<', createdBefore);
  return (cursor === null ? rows : rows.where('workflow_instances.id', '<', cursor)).execute();
}

/** Counts of the newest `limit` instances of a service, by phase. */
export async function countInstances(queries: Queries, serviceId: string, limit: number) {
  return queries
    .selectFrom((from) =>
      from
        .selectFrom('workflow_instances')
        .innerJoin('service_versions', 'service_versions.id', 'workflow_instances.service_version_id')
        .where('service_versions.service_id', '=', serviceId)
        .select(['workflow_instances.phase', 'workflow_instances.incidents'])
        .orderBy('workflow_instances.id', 'desc')
        .limit(limit)
        .as('newest'),
    )
    .groupBy('phase')
    .select(({ fn }) => [
      'phase',
      fn.countAll<number>().as('instances'),
      fn.sum<number>(sql<number>`case when incidents > 0 then 1 else 0 end`).as('with_incidents'),
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

export function jobsOf(queries: Queries, instanceId: string) {
  return queries
    .selectFrom('workflow_jobs')
    .select(['id', 'job', 'state', 'attempts'])
    .where('instance_id', '=', instanceId)
    .execute();
}
