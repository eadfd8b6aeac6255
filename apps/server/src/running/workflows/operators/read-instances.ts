import { toTimestamp, type WorkflowIncident } from '@kethub/contract';
import { rootOf, variablesAt, type Node } from '@kethub/workflow';
import { list, Problem, type Answer, type ListQuery } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Graphs } from '../graphs.ts';
import { readJournalAfter } from '../journal.ts';
import { readState } from '../state.ts';
import { isOwn, presentActivities, presentIncident, presentInstance } from './present.ts';
import { childrenOf, findInstance, jobsOf, pageOfInstances, type InstanceRow } from './queries.ts';

const INCIDENTS_AT_ONCE = 100;
const CHILDREN_AT_ONCE = 100;

/** Lists the instances of a workflow service, of all starters. */
export async function readInstances(
  platform: Platform,
  context: Context,
  serviceId: string,
  query: ListQuery,
): Promise<Answer> {
  const { database, addresses } = platform;
  await requireService(database.read, context, serviceId);
  return list(query, {
    address: `${addresses.api}/services/${serviceId}/workflow-instances`,
    load: (cursor, limit) => pageOfInstances(database.read, context, serviceId, cursor, limit, false),
    present: presentInstance,
  });
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
    openIncidents: [...state.incidents.values()].map((one) => presentIncident(row, context, state, one, elements)),
    children: children.map(presentInstance),
    warnings: own ? [...(state.warnings ?? [])] : [],
    variables: root !== undefined && own ? { ...variablesAt(state, root) } : {},
  };
  return { status: 200, body };
}

/** Open incidents of all instances of a workflow service, of the newest instances first; at most 100 instances. */
export async function readIncidents(
  platform: Platform,
  graphs: Graphs,
  context: Context,
  serviceId: string,
): Promise<Answer> {
  const { read } = platform.database;
  await requireService(read, context, serviceId);
  const rows = await pageOfInstances(read, context, serviceId, null, INCIDENTS_AT_ONCE, true);
  const found: WorkflowIncident[] = [];
  for (const row of rows) {
    const state = await readState(read, row.id);
    if (state === null) continue;
    const elements = await elementsOf(graphs, row);
    for (const one of state.incidents.values()) {
      const { variables: _variables, ...incident } = presentIncident(row, context, state, one, elements);
      found.push(incident);
    }
  }
  return { status: 200, body: found };
}

async function elementsOf(graphs: Graphs, row: InstanceRow): Promise<ReadonlyMap<string, Node>> {
  const graph = await graphs.load(row.service_version_id);
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
