import type { IncidentFilter } from '@kethub/contract';
import { isAmong, type Queries } from '../../../foundation/storage/index.ts';
import type { Owner } from './queries.ts';

/** SQL of open incidents. Each query includes the owner of the service. */

function incidentsOf(queries: Queries, owner: Owner, { serviceId, version, elementId, errorCode }: IncidentFilter) {
  let rows = queries
    .selectFrom('workflow_incidents as incident')
    .innerJoin('service_versions', 'service_versions.id', 'incident.service_version_id')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .where('services.owner_type', '=', owner.type)
    .where('services.owner_id', '=', owner.id);
  if (serviceId !== undefined) rows = rows.where('services.id', '=', serviceId);
  if (version !== undefined) rows = rows.where('service_versions.version', '=', version);
  if (elementId !== undefined) rows = rows.where('incident.element_id', '=', elementId);
  if (errorCode !== undefined) rows = rows.where('incident.error_code', '=', errorCode);
  return rows;
}

function shown(rows: ReturnType<typeof incidentsOf>) {
  return rows
    .innerJoin('workflow_instances as instance', 'instance.id', 'incident.instance_id')
    .innerJoin('executions', 'executions.id', 'instance.execution_id')
    .leftJoin('workflow_versions', 'workflow_versions.service_version_id', 'incident.service_version_id')
    .select([
      'incident.id',
      'incident.instance_id',
      'incident.incident',
      'incident.service_version_id',
      'incident.element_id',
      'incident.element',
      'incident.type',
      'incident.error_code',
      'incident.error',
      'incident.at',
      'instance.execution_id',
      'instance.process_id',
      'workflow_versions.process_id as main_process_id',
      'services.id as service_id',
      'services.name as service_name',
      'service_versions.version',
      'executions.owner_type',
      'executions.owner_id',
    ]);
}

/** Start of a page of incidents (after this id), its length, and its order. */
interface Page {
  readonly after: string | null;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export function pageOfIncidents(queries: Queries, owner: Owner, filter: IncidentFilter, { after, limit, order }: Page) {
  const rows = shown(incidentsOf(queries, owner, filter))
    .orderBy('incident.id', order)
    .limit(limit);
  return (after === null ? rows : rows.where('incident.id', order === 'asc' ? '>' : '<', after)).execute();
}
export type IncidentRow = Awaited<ReturnType<typeof pageOfIncidents>>[number];

export async function findIncidents(queries: Queries, owner: Owner, ids: readonly string[]): Promise<IncidentRow[]> {
  if (ids.length === 0) return [];
  return shown(incidentsOf(queries, owner, {}))
    .where(isAmong(queries, 'incident.id', ids))
    .execute();
}

/** Incidents of one error at one element of one version, the largest groups first. */
export function groupsOfIncidents(queries: Queries, owner: Owner, filter: IncidentFilter, limit: number) {
  return incidentsOf(queries, owner, filter)
    .groupBy(['incident.service_version_id', 'incident.element_id', 'incident.type', 'incident.error_code'])
    .select(({ fn }) => [
      fn.max('incident.id').as('newest_id'),
      fn.countAll<number>().as('incidents'),
      fn.count<number>('incident.instance_id').distinct().as('instances'),
      fn.min('incident.at').as('first_at'),
      fn.max('incident.at').as('last_at'),
    ])
    .orderBy('incidents', 'desc')
    .orderBy('newest_id', 'desc')
    .limit(limit)
    .execute();
}
