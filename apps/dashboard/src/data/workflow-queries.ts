import type { WorkflowInstance, WorkflowInstanceDetails, WorkflowVariables } from '@kethub/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { parseExact } from './exact-json.ts';
import { again, nextCursor, PAGE, watched, type Here, type Watched } from './queries.ts';

/** Milliseconds until the platform is asked again that did not answer. */
const AGAIN_AFTER_FAILURE_MS = 2_000;
/** Entries of one page of a journal. */
const JOURNAL_PAGE = 500;
/** Entries of a journal that a page keeps. The rest of a longer one is not shown. */
export const MOST_ENTRIES = 20_000;

/** Filter of instances, as it stands in the address of the page. */
export interface InstanceFilter {
  readonly phase?: WorkflowInstance['phase'];
  readonly hasIncidents?: boolean;
  readonly version?: string;
  readonly elementId?: string;
  readonly errorCode?: string;
  /** Days as `yyyy-MM-dd`, in UTC; the second one is included. */
  readonly from?: string;
  readonly to?: string;
}

/** The filter as the interface takes it: times in the place of days. */
function askedOf({ from, to, ...same }: InstanceFilter) {
  return {
    ...same,
    ...(from !== undefined && { from: `${from} 00:00:00` }),
    ...(to !== undefined && { to: `${dayAfter(to)} 00:00:00` }),
  };
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

export const instancesQuery = ({ base, platform }: Here, serviceId: string, filter: InstanceFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...instancesKey(base, serviceId), 'list', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listWorkflowInstances({
        serviceId,
        ...askedOf(filter),
        limit: PAGE,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

/** Beginning of the keys of all that shows the instances of a workflow. */
export function instancesKey(base: string, serviceId: string): readonly string[] {
  return [base, 'service', serviceId, 'instances'];
}

/** Numbers of instances that fit a filter, whatever their phase. */
export const instanceCountsQuery = (
  { base, platform }: Here,
  serviceId: string,
  { phase: _phase, hasIncidents: _hasIncidents, ...filter }: InstanceFilter,
) =>
  queryOptions({
    queryKey: [...instancesKey(base, serviceId), 'counts', filter],
    queryFn: ({ signal }) => platform.countWorkflowInstances({ serviceId, ...askedOf(filter), signal }),
  });

/** The file of a version. */
export const sourceQuery = ({ base, platform }: Here, serviceId: string, version: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'source', version],
    staleTime: Infinity,
    async queryFn({ signal }) {
      const source = await platform.downloadSource({ serviceId, version, signal });
      return source.text();
    },
  });

/** Open incidents of a workflow, with every digit of their variables. */
export const incidentsQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'incidents'],
    queryFn: ({ signal }) => platform.listWorkflowIncidents({ serviceId, signal }),
  });

/** Filter of incidents, as it stands in the address of the page. */
export interface IncidentFilter {
  readonly serviceId?: string;
  readonly elementId?: string;
  readonly errorCode?: string;
}

/** Open incidents of all workflows by cause. */
export const incidentGroupsQuery = ({ base, platform }: Here, filter: IncidentFilter = {}) =>
  queryOptions({
    queryKey: [base, 'incidents', filter],
    queryFn: ({ signal }) => platform.listWorkflowIncidentGroups({ ...filter, signal }),
  });

export const schedulesQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'schedules'],
    queryFn: ({ signal }) => platform.listWorkflowSchedules({ serviceId, signal }),
  });

/** One instance with every digit of its variables. While it can go on, each look waits for its next step. */
export const instanceQuery = ({ base, platform }: Here, instanceId: string) =>
  queryOptions({
    queryKey: [base, 'instance', instanceId],
    queryFn: ({ signal, client, queryKey }) =>
      watched<WorkflowInstanceDetails>(
        client.getQueryData<Watched<WorkflowInstanceDetails>>(queryKey),
        signal,
        (headers, limited) => platform.getWorkflowInstance.response({ instanceId, signal: limited, headers }),
        parseExact,
      ),
    structuralSharing: false,
    refetchInterval: ({ state: { data, error } }) =>
      data && isUnderWay(data.value) ? (error ? AGAIN_AFTER_FAILURE_MS : again(data)) : false,
  });

/** An entry of a journal: beside its number, its time and its type it has members that depend on the type. */
export type JournalEntry = { readonly seq: number; readonly at: string; readonly type: string } & {
  readonly [member: string]: unknown;
};

/** A journal as far as it has been read. It only grows: each look reads what has been added since. */
export const journalQuery = ({ base, platform }: Here, instanceId: string) =>
  queryOptions({
    queryKey: [base, 'journal', instanceId],
    async queryFn({ signal, client, queryKey }): Promise<readonly JournalEntry[]> {
      const known = client.getQueryData<readonly JournalEntry[]>(queryKey) ?? [];
      const added: JournalEntry[] = [];
      while (known.length + added.length < MOST_ENTRIES) {
        const after = (added.at(-1) ?? known.at(-1))?.seq ?? 0;
        const response = await platform.getWorkflowJournal.response({ instanceId, after, limit: JOURNAL_PAGE, signal });
        const page = parseExact(await response.text()) as readonly JournalEntry[];
        if (page.length === 0) break;
        added.push(...page);
      }
      return added.length === 0 ? known : [...known, ...added];
    },
    structuralSharing: false,
  });

/** Variables of each scope with every digit: now (`step` null), or after a step, which never changes. */
export const variablesQuery = (
  { base, platform }: Here,
  { instanceId, step, elementId }: { instanceId: string; step: number | null; elementId: string | null },
) =>
  queryOptions({
    queryKey: [base, 'instance-variables', instanceId, step ?? 'now', elementId],
    async queryFn({ signal }) {
      const response = await platform.getWorkflowVariables.response({
        instanceId,
        ...(step !== null && { step }),
        ...(elementId !== null && { elementId }),
        signal,
      });
      return parseExact(await response.text()) as WorkflowVariables;
    },
    structuralSharing: false,
    staleTime: step === null ? 0 : Infinity,
  });

/** Executions that the tasks of an instance have started, newest first. */
export const taskExecutionsQuery = (
  { base, platform }: Here,
  { id, executionId }: Pick<WorkflowInstance, 'id' | 'executionId'>,
  elementId: string | null,
) =>
  infiniteQueryOptions({
    queryKey: [base, 'executions', 'of tasks', id, elementId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listOwnedExecutions({
        workflowId: executionId,
        workflowInstanceId: id,
        ...(elementId !== null && { workflowElementId: elementId }),
        limit: PAGE,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

/** Returns whether an instance can go on by itself. */
/** Returns whether an instance has open incidents, or what it has called has. */
export function standsStill({
  incidents,
  childIncidents,
}: Pick<WorkflowInstance, 'incidents' | 'childIncidents'>): boolean {
  return incidents + childIncidents > 0;
}

export function isUnderWay({ phase }: Pick<WorkflowInstance, 'phase'>): boolean {
  return phase === 'NEW' || phase === 'RUNNING';
}
