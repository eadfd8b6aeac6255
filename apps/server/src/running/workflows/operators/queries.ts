import type { Queries } from '../../../foundation/storage/index.ts';

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

/** Instances of a service, newest first, after (older than) `cursor`; all, or those with open incidents. */
export function pageOfInstances(
  queries: Queries,
  owner: Owner,
  serviceId: string,
  cursor: string | null,
  limit: number,
  onlyIncidents: boolean,
): Promise<InstanceRow[]> {
  let rows = instancesOf(queries, owner)
    .where('service_versions.service_id', '=', serviceId)
    .orderBy('workflow_instances.id', 'desc')
    .limit(limit);
  if (onlyIncidents) rows = rows.where('workflow_instances.incidents', '>', 0);
  return (cursor === null ? rows : rows.where('workflow_instances.id', '<', cursor)).execute();
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
