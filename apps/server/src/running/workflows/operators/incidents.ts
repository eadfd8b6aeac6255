import { toTimestamp, limits, type IncidentFilter, type WorkflowIncidentGroup } from '@kethub/contract';
import type { Node } from '@kethub/workflow';
import type { Listing } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Graphs } from '../graphs.ts';
import { findIncidents, groupsOfIncidents, pageOfIncidents, type IncidentRow } from './incident-queries.ts';
import { presentIncident, type OpenIncident } from './present.ts';
import { elementsOf } from './read-instances.ts';

/** Lists open incidents of the workflows of an owner, newest first. Throws not-found for a service of somebody else. */
export async function readIncidents(
  platform: Platform,
  graphs: Graphs,
  context: Context,
  filter: IncidentFilter,
): Promise<Listing<WithElement>> {
  const { read } = platform.database;
  if (filter.serviceId !== undefined) await requireService(read, context, filter.serviceId);
  const chosen = new URLSearchParams(filter).toString();
  return {
    address: `${platform.addresses.api}/workflow-incidents${chosen === '' ? '' : `?${chosen}`}`,
    load: async (after, limit) =>
      withElements(graphs, await pageOfIncidents(read, context, filter, { after, limit, order: 'desc' })),
    present: ({ row, element }) => presentIncident(row, context, openIncident(row), element),
  };
}

/** Groups of open incidents with one cause, the largest first. Throws not-found for a service of somebody else. */
export async function readIncidentGroups(
  { database: { read } }: Platform,
  graphs: Graphs,
  context: Context,
  filter: IncidentFilter,
): Promise<WorkflowIncidentGroup[]> {
  if (filter.serviceId !== undefined) await requireService(read, context, filter.serviceId);
  const groups = await groupsOfIncidents(read, context, filter, limits.workflowIncidentGroups);
  const newest = await findIncidents(
    read,
    context,
    groups.map(({ newest_id }) => newest_id),
  );
  const shown = new Map((await withElements(graphs, newest)).map((one) => [one.id, one]));
  return groups.flatMap((group) => {
    // It may have been closed between the two queries.
    const example = shown.get(group.newest_id);
    if (!example) return [];
    const { row, element } = example;
    return {
      serviceId: row.service_id,
      serviceName: row.service_name,
      version: row.version,
      elementId: row.element_id,
      elementName: element?.name ?? null,
      type: row.type,
      errorCode: row.error_code,
      incidents: group.incidents,
      instances: group.instances,
      firstAt: toTimestamp(group.first_at),
      lastAt: toTimestamp(group.last_at),
      newest: presentIncident(row, context, openIncident(row), element),
    };
  });
}

interface WithElement {
  readonly id: string;
  readonly row: IncidentRow;
  /** The element of the workflow; undefined when the version has been deleted. */
  readonly element: Node | undefined;
}

async function withElements(graphs: Graphs, rows: readonly IncidentRow[]): Promise<WithElement[]> {
  const elements = new Map<string, ReadonlyMap<string, Node>>();
  for (const row of rows)
    if (!elements.has(row.service_version_id)) elements.set(row.service_version_id, await elementsOf(graphs, row));
  return rows.map((row) => ({
    id: row.id,
    row,
    element: elements.get(row.service_version_id)?.get(row.element_id),
  }));
}

function openIncident({ incident, element_id, type, at, error }: IncidentRow): OpenIncident {
  return { incident, elementId: element_id, type, at, error: JSON.parse(error) as OpenIncident['error'] };
}
