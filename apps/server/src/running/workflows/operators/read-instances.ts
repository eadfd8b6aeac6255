import {
  fromTimestamp,
  limits,
  timestampPattern,
  toTimestamp,
  Version,
  workflowPhases,
  type WorkflowInstanceCounts,
} from '@kethub/contract';
import { rootOf, variablesAt, type Node } from '@kethub/workflow';
import { Type, type Static } from 'typebox';
import { list, ListQuery, Problem, type Answer } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Graphs } from '../graphs.ts';
import { readJournalAfter } from '../journal.ts';
import { readState } from '../state.ts';
import { isOwn, presentActivities, presentIncident, presentInstance } from './present.ts';
import { childrenOf, countInstances, findInstance, jobsOf, pageOfInstances, type InstanceRow } from './queries.ts';

const CHILDREN_AT_ONCE = 100;

/** The query of a list of instances. */
export const InstancesQuery = Type.Object({
  ...ListQuery.properties,
  phase: Type.Optional(Type.Enum([...workflowPhases])),
  version: Type.Optional(Version),
  hasIncidents: Type.Optional(Type.Boolean({ description: 'Only those with open incidents, or only those without.' })),
  from: Type.Optional(Type.String({ pattern: timestampPattern, description: 'Begun at this time or later, in UTC.' })),
  to: Type.Optional(Type.String({ pattern: timestampPattern, description: 'Begun before this time, in UTC.' })),
});
type InstancesQuery = Static<typeof InstancesQuery>;

/** Lists the instances of a workflow service, of all starters. */
export async function readInstances(
  platform: Platform,
  context: Context,
  serviceId: string,
  query: InstancesQuery,
): Promise<Answer> {
  const { database, addresses } = platform;
  await requireService(database.read, context, serviceId);
  const { limit: _limit, cursor: _cursor, from, to, ...filter } = query;
  const chosen = {
    ...filter,
    ...(from !== undefined && { createdFrom: timeOf('from', from) }),
    ...(to !== undefined && { createdBefore: timeOf('to', to) }),
  };
  const { hasIncidents, ...texts } = filter;
  const asked = new URLSearchParams({
    ...texts,
    ...(hasIncidents !== undefined && { hasIncidents: String(hasIncidents) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }).toString();
  return list(query, {
    address: `${addresses.api}/services/${serviceId}/workflow-instances${asked === '' ? '' : `?${asked}`}`,
    load: (cursor, limit) => pageOfInstances(database.read, context, serviceId, chosen, cursor, limit),
    present: presentInstance,
  });
}

function timeOf(name: string, text: string): number {
  const time = fromTimestamp(text);
  if (time === null) throw new Problem('invalid-request', `There is no such time: ${name} is ${text}.`);
  return time;
}

/** Counts the newest instances of a workflow service. Throws not-found. */
export async function readInstanceCounts(
  { database }: Platform,
  context: Context,
  serviceId: string,
): Promise<WorkflowInstanceCounts> {
  await requireService(database.read, context, serviceId);
  const rows = await countInstances(database.read, serviceId, limits.countedRows + 1);
  const all = rows.reduce((sum, { instances }) => sum + instances, 0);
  return {
    counted: Math.min(all, limits.countedRows),
    isPartial: all > limits.countedRows,
    phases: Object.fromEntries(rows.map(({ phase, instances }) => [phase, instances])),
    withIncidents: rows.reduce((sum, { with_incidents }) => sum + with_incidents, 0),
  };
}

/** Finds an instance of a workflow service of the caller. Throws not-found. */
export async function requireInstance({ database }: Platform, context: Context, id: string): Promise<InstanceRow> {
  const row = await findInstance(database.read, context, id);
  if (!row) throw new Problem('not-found', `No workflow of yours has an instance ${id}.`);
  return row;
}

/** Reads an instance with its active elements, open incidents and variables. */
export async function readInstance(platform: Platform, graphs: Graphs, context: Context, id: string): Promise<Answer> {
  const { read } = platform.database;
  const row = await requireInstance(platform, context, id);
  const state = await readState(read, id);
  if (state === null)
    return {
      status: 200,
      body: { ...presentInstance(row), activities: [], openIncidents: [], children: [], warnings: [], variables: {} },
    };
  const elements = await elementsOf(graphs, row);
  const root = rootOf(state);
  const own = isOwn(row, context);
  const children = await childrenOf(read, context, id, CHILDREN_AT_ONCE);
  const body = {
    ...presentInstance(row),
    activities: presentActivities(state, await jobsOf(read, id), children, own),
    openIncidents: [...state.incidents.values()].map((one) => ({
      ...presentIncident({ ...row, instance_id: row.id }, context, one, elements.get(one.elementId)),
      ...(own && { variables: { ...variablesAt(state, one.element) } }),
    })),
    children: children.map(presentInstance),
    warnings: own ? [...(state.warnings ?? [])] : [],
    variables: root !== undefined && own ? { ...variablesAt(state, root) } : {},
  };
  return { status: 200, body };
}

/** The elements of the workflow of a version, by id; none when it has been deleted. */
export async function elementsOf(
  graphs: Graphs,
  { service_version_id }: Pick<InstanceRow, 'service_version_id'>,
): Promise<ReadonlyMap<string, Node>> {
  const graph = await graphs.load(service_version_id);
  const nodes = [...(graph?.processes.values() ?? [])].flatMap((process) => [...process.nodes.values()]);
  return new Map(nodes.map((node) => [node.id, node]));
}

/** Throws not-permitted for an instance that was started for somebody else. */
export function requireOwn(row: InstanceRow, context: Context): void {
  if (isOwn(row, context)) return;
  throw new Problem(
    'not-permitted',
    'The instance was started for somebody else: its data are theirs. Its incidents can be seen, and tried again.',
  );
}

/** Reads the journal of an instance, in order. */
export async function readJournal(
  platform: Platform,
  context: Context,
  id: string,
  { after = 0, limit = 100 }: { after?: number; limit?: number },
): Promise<Answer> {
  requireOwn(await requireInstance(platform, context, id), context);
  const entries = await readJournalAfter(platform.database.read, id, after, limit);
  return { status: 200, body: entries.map((entry) => ({ ...entry, at: toTimestamp(entry.at) })) };
}
