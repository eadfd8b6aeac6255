import { createHash } from 'node:crypto';
import {
  fromTimestamp,
  limits,
  timestampPattern,
  Version,
  workflowPhases,
  type WorkflowInstanceCounts,
  type WorkflowInstanceDetails,
} from '@kethub/contract';
import { rootOf, variablesAt, type JournalEntry, type Node } from '@kethub/workflow';
import { Type, type Static } from 'typebox';
import {
  beginWait,
  etag,
  ListQuery,
  Problem,
  type Listing,
  type Tagged,
  type WantedWait,
} from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Graphs } from '../graphs.ts';
import { readJournalAfter } from '../journal.ts';
import { readState } from '../state.ts';
import type { InstanceWatch } from './instance-watch.ts';
import { isOwn, presentActivities, presentIncident, presentInstance } from './present.ts';
import {
  childrenOf,
  childrenUnderWay,
  countInstances,
  findInstance,
  jobsOf,
  pageOfInstances,
  type InstanceFilter,
  type InstanceRow,
} from './queries.ts';

const CHILDREN_AT_ONCE = 100;

const instancesFilter = {
  version: Type.Optional(Version),
  elementId: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'Only those that stand still there.' }),
  ),
  errorCode: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'Only those that stand still with this.' }),
  ),
  from: Type.Optional(Type.String({ pattern: timestampPattern, description: 'Begun at this time or later, in UTC.' })),
  to: Type.Optional(Type.String({ pattern: timestampPattern, description: 'Begun before this time, in UTC.' })),
};

/** The query of the counts of instances. */
export const CountsQuery = Type.Object(instancesFilter);
type CountsQuery = Static<typeof CountsQuery>;

/** The query of a list of instances. */
export const InstancesQuery = Type.Object({
  ...ListQuery.properties,
  phase: Type.Optional(Type.Enum([...workflowPhases])),
  hasIncidents: Type.Optional(
    Type.Boolean({ description: 'Only those that stand still, also in what they have called, or only the others.' }),
  ),
  ...instancesFilter,
});
type InstancesQuery = Static<typeof InstancesQuery>;

/** Lists the instances of a workflow service, of all starters. */
export async function readInstances(
  platform: Platform,
  context: Context,
  serviceId: string,
  { limit: _limit, cursor: _cursor, phase, hasIncidents, ...others }: InstancesQuery,
): Promise<Listing<InstanceRow>> {
  const { database, addresses } = platform;
  await requireService(database.read, context, serviceId);
  const chosen = {
    ...filterOf(others),
    ...(phase !== undefined && { phase }),
    ...(hasIncidents !== undefined && { hasIncidents }),
  };
  const asked = new URLSearchParams({
    ...(phase !== undefined && { phase }),
    ...(hasIncidents !== undefined && { hasIncidents: String(hasIncidents) }),
    ...others,
  }).toString();
  return {
    address: `${addresses.api}/services/${serviceId}/workflow-instances${asked === '' ? '' : `?${asked}`}`,
    load: (cursor, limit) => pageOfInstances(database.read, context, serviceId, chosen, cursor, limit),
    present: presentInstance,
  };
}

function filterOf({ from, to, ...same }: CountsQuery): InstanceFilter {
  return {
    ...same,
    ...(from !== undefined && { createdFrom: timeOf('from', from) }),
    ...(to !== undefined && { createdBefore: timeOf('to', to) }),
  };
}

function timeOf(name: string, text: string): number {
  const time = fromTimestamp(text);
  if (time === null) throw new Problem('invalid-request', `There is no such time: ${name} is ${text}.`);
  return time;
}

/** Counts the newest instances of a workflow service that fit a filter. Throws not-found, invalid-request. */
export async function readInstanceCounts(
  { database }: Platform,
  context: Context,
  serviceId: string,
  query: CountsQuery,
): Promise<WorkflowInstanceCounts> {
  await requireService(database.read, context, serviceId);
  const rows = await countInstances(database.read, serviceId, filterOf(query), limits.countedRows + 1);
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

/** Value that was read, and the seconds of a wait for it that was granted; 0 for none. */
interface Waited<T> {
  readonly value: T;
  readonly seconds: number;
}

/** Sources of an instance and of its changes. */
export interface InstanceReader {
  readonly platform: Platform;
  readonly graphs: Graphs;
  readonly watch: InstanceWatch;
}

/**
 * Reads an instance with its active elements, open incidents and variables. A wait is for its next step, or for one that
 * the caller does not know: `isKnown` judges the ETag. Throws not-found.
 */
export async function readInstance(
  reader: InstanceReader,
  context: Context,
  id: string,
  wait: WantedWait,
  isKnown: (tag: string) => boolean,
): Promise<Waited<Tagged<WorkflowInstanceDetails>>> {
  const first = await requireInstance(reader.platform, context, id);
  const shown = await presentDetails(reader, context, first);
  const seconds = isKnown(shown.tag) ? await waitForStep(reader, context, first, wait) : 0;
  if (seconds === 0) return { value: shown, seconds };
  const row = await requireInstance(reader.platform, context, id);
  return { value: await presentDetails(reader, context, row), seconds };
}

/** Waits for the next step of an instance that runs. Returns the seconds that were granted; 0: it has not waited. */
async function waitForStep(
  { platform, watch }: InstanceReader,
  { personId }: Context,
  { id, phase, revision }: InstanceRow,
  wait: WantedWait,
): Promise<number> {
  if (phase !== 'NEW' && phase !== 'RUNNING') return 0;
  const { seconds, end } = beginWait(platform, personId, wait);
  if (seconds === 0) return 0;
  const over = new AbortController();
  const stop = (): void => over.abort();
  const timer = setTimeout(stop, seconds * 1000);
  const stay = wait.whenGone(stop);
  try {
    await watch.changed(id, revision, over.signal);
    return seconds;
  } finally {
    clearTimeout(timer);
    stay();
    end();
  }
}

async function presentDetails(
  { platform, graphs }: InstanceReader,
  context: Context,
  row: InstanceRow,
): Promise<Tagged<WorkflowInstanceDetails>> {
  const { read } = platform.database;
  const state = await readState(read, row.id);
  const jobs = state === null ? [] : await jobsOf(read, row.id);
  const children = state === null ? [] : await childrenOf(read, context, row.id, CHILDREN_AT_ONCE);
  // The newest may have ended long ago, and what is under way be older than these.
  const underWay = children.length < CHILDREN_AT_ONCE ? [] : await childrenUnderWay(read, context, row.id);
  const elements = await elementsOf(graphs, row);
  const own = isOwn(row, context);
  const root = state === null ? undefined : rootOf(state);
  const body = {
    ...presentInstance(row),
    activities: state === null ? [] : presentActivities(state, jobs, [...underWay, ...children], own),
    openIncidents: [...(state?.incidents.values() ?? [])].map((one) => ({
      ...presentIncident({ ...row, instance_id: row.id }, context, one, elements.get(one.elementId)),
      ...(own && state && { variables: { ...variablesAt(state, one.element) } }),
    })),
    children: children.map(presentInstance),
    warnings: own ? [...(state?.warnings ?? [])] : [],
    variables: own && state ? { ...(root === undefined ? state.finalVariables : variablesAt(state, root)) } : {},
  };
  // The states of its jobs and children change without a step of its own.
  const around = createHash('sha256')
    .update(JSON.stringify([jobs, body.children]))
    .digest('base64url')
    .slice(0, 12);
  return { body, tag: etag(`${row.revision}-${around}`) };
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

/**
 * Reads the journal of an instance, in order. A wait is for its next step, when there is no entry. Throws not-found,
 * not-permitted.
 */
export async function readJournal(
  reader: InstanceReader,
  context: Context,
  id: string,
  { after = 0, limit = 100 }: { after?: number; limit?: number },
  wait: WantedWait,
): Promise<Waited<JournalEntry[]>> {
  const { platform } = reader;
  const row = await requireInstance(platform, context, id);
  requireOwn(row, context);
  const read = () => readJournalAfter(platform.database.read, id, after, limit);
  let entries = await read();
  const seconds = entries.length > 0 ? 0 : await waitForStep(reader, context, row, wait);
  if (seconds > 0) entries = await read();
  return { value: entries, seconds };
}
