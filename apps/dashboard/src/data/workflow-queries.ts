import type { WorkflowInstance, WorkflowInstanceDetails } from '@kethub/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { parseExact } from './exact-json.ts';
import { nextCursor, PAGE, type Here } from './queries.ts';

/** Milliseconds between two looks at what still runs. */
const AGAIN_MS = 2_000;
/** Entries of one page of a journal. */
export const JOURNAL_PAGE = 200;

export const instancesQuery = ({ base, platform }: Here, serviceId: string) =>
  infiniteQueryOptions({
    queryKey: [base, 'service', serviceId, 'instances'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listWorkflowInstances({
        serviceId,
        limit: PAGE,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

/** Open incidents of a workflow, with every digit of their variables. */
export const incidentsQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'incidents'],
    queryFn: ({ signal }) => platform.listWorkflowIncidents({ serviceId, signal }),
  });

/** Open incidents of all workflows by cause. */
export const incidentGroupsQuery = ({ base, platform }: Here) =>
  queryOptions({
    queryKey: [base, 'incidents'],
    queryFn: ({ signal }) => platform.listWorkflowIncidentGroups({ signal }),
  });

export const schedulesQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'schedules'],
    queryFn: ({ signal }) => platform.listWorkflowSchedules({ serviceId, signal }),
  });

/** One instance with every digit of its variables. */
export const instanceQuery = ({ base, platform }: Here, instanceId: string) =>
  queryOptions({
    queryKey: [base, 'instance', instanceId],
    async queryFn({ signal }) {
      const response = await platform.getWorkflowInstance.response({ instanceId, signal });
      return parseExact(await response.text()) as WorkflowInstanceDetails;
    },
    structuralSharing: false,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? AGAIN_MS : false),
  });

/** An entry of a journal: beside its number, its time and its type it has members that depend on the type. */
export type JournalEntry = { readonly seq: number; readonly at: string; readonly type: string } & {
  readonly [member: string]: unknown;
};

export const journalQuery = ({ base, platform }: Here, instanceId: string, isRunning: boolean) =>
  infiniteQueryOptions({
    queryKey: [base, 'instance', instanceId, 'journal'],
    initialPageParam: 0,
    async queryFn({ pageParam, signal }) {
      const response = await platform.getWorkflowJournal.response({
        instanceId,
        after: pageParam,
        limit: JOURNAL_PAGE,
        signal,
      });
      return parseExact(await response.text()) as readonly JournalEntry[];
    },
    getNextPageParam: (page) => (page.length === JOURNAL_PAGE ? (page.at(-1)?.seq ?? null) : null),
    structuralSharing: false,
    refetchInterval: isRunning ? AGAIN_MS : false,
  });

/** Returns whether an instance can go on by itself. */
export function isUnderWay({ phase }: Pick<WorkflowInstance, 'phase'>): boolean {
  return phase === 'NEW' || phase === 'RUNNING';
}
