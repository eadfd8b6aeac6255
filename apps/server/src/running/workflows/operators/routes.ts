import {
  Id,
  IncidentFilter,
  limits,
  RetryIncidentRequest,
  RetryIncidentsReceipt,
  RetryIncidentsRequest,
  toTimestamp,
  WorkflowIncident,
  WorkflowIncidentGroup,
  WorkflowInstance,
  WorkflowInstanceCounts,
  WorkflowInstanceDetails,
  WorkflowJournalEntry,
  WorkflowSchedule,
  WorkflowVariables,
} from '@kethub/contract';
import { parseExact } from '@kethub/workflow';
import { Type } from 'typebox';
import {
  answerUnlessFresh,
  contextOf,
  isFresh,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  waited,
  wantedWait,
  type PlatformEndpoint,
} from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Workflows } from '../../executions/index.ts';
import { createGraphs } from '../graphs.ts';
import { InstanceWatch } from './instance-watch.ts';
import { readIncidentGroups, readIncidents } from './incidents.ts';
import {
  CountsQuery,
  InstancesQuery,
  readInstance,
  readInstanceCounts,
  readInstances,
  readJournal,
} from './read-instances.ts';
import { readVariables } from './read-variables.ts';
import { retryIncident } from './retry-incident.ts';
import { retryIncidents } from './retry-incidents.ts';
import { readSchedules, retrySchedule } from './schedules.ts';

const tag = 'Workflows';
const servicePath = Type.Object({ serviceId: Id });
const one = Type.Object({ instanceId: Id });
const found = ['invalid-request', 'not-found'] as const;

/** Endpoints by which operators see and change instances, incidents and timer start events of own workflows. */
export function operatorEndpoints(platform: Platform, workflows: Pick<Workflows, 'parameters'>): PlatformEndpoint[] {
  const graphs = createGraphs(platform);
  const reader = { platform, graphs, watch: new InstanceWatch(platform.database) };
  return [
    endpoint({
      method: 'GET',
      path: '/services/:serviceId/workflow-instances',
      id: 'listWorkflowInstances',
      tag,
      access: 'workflow-instance:list',
      summary: 'List the instances of an own workflow, newest first',
      params: servicePath,
      query: InstancesQuery,
      answers: { 200: Type.Array(WorkflowInstance) },
      problems: [...found],
      handle: async ({ params, caller, query }) =>
        list(query, await readInstances(platform, contextOf(caller), params.serviceId, query)),
    }),
    endpoint({
      method: 'GET',
      path: '/services/:serviceId/workflow-instances/counts',
      id: 'countWorkflowInstances',
      tag,
      access: 'workflow-instance:list',
      summary: 'Count the instances of an own workflow by phase',
      params: servicePath,
      query: CountsQuery,
      answers: { 200: WorkflowInstanceCounts },
      problems: [...found],
      run: ({ params, caller, query }) => readInstanceCounts(platform, contextOf(caller), params.serviceId, query),
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-incidents',
      id: 'listAllWorkflowIncidents',
      tag,
      access: 'workflow-instance:list',
      summary: 'List what keeps instances of all own workflows from going on, newest first',
      description: 'Without the answers of services and without variables, which the instance has.',
      query: Type.Object({ ...ListQuery.properties, ...IncidentFilter.properties }),
      answers: { 200: Type.Array(WorkflowIncident) },
      problems: [...found],
      handle: async ({ caller, query }) => {
        const { limit: _limit, cursor: _cursor, ...filter } = query;
        return list(query, await readIncidents(platform, graphs, contextOf(caller), filter));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-incident-groups',
      id: 'listWorkflowIncidentGroups',
      tag,
      access: 'workflow-instance:list',
      summary: 'Group open incidents of own workflows by their cause, the largest groups first',
      query: IncidentFilter,
      answers: { 200: Type.Array(WorkflowIncidentGroup) },
      problems: [...found],
      run: ({ caller, query }) => readIncidentGroups(platform, graphs, contextOf(caller), query),
    }),
    endpoint({
      method: 'PUT',
      path: '/workflow-incidents/retry',
      id: 'retryWorkflowIncidents',
      tag,
      access: 'workflow-instance:retry',
      summary: 'Try many incidents again, now that their cause is mended',
      description: 'With `variables` these are corrected first, in each. 202: workers do it.',
      body: RetryIncidentsRequest,
      parseJson: parseExact,
      answers: { 202: RetryIncidentsReceipt },
      problems: [...found, 'invalid-secrets'],
      run: ({ body, caller }) => retryIncidents(platform, workflows, contextOf(caller), body),
    }),
    endpoint({
      method: 'GET',
      path: '/services/:serviceId/workflow-incidents',
      id: 'listWorkflowIncidents',
      tag,
      access: 'workflow-instance:list',
      summary: 'List what keeps instances of an own workflow from going on',
      description: 'Newest first, without the answers of services and without variables, which the instance has.',
      params: servicePath,
      query: ListQuery,
      answers: { 200: Type.Array(WorkflowIncident) },
      problems: [...found],
      handle: async ({ params, caller, query }) =>
        list(query, await readIncidents(platform, graphs, contextOf(caller), params)),
    }),
    endpoint({
      method: 'GET',
      path: '/services/:serviceId/workflow-schedules',
      id: 'listWorkflowSchedules',
      tag,
      access: 'workflow-schedule:list',
      summary: 'List the timer start events of an own workflow',
      description: 'Those of the version that was deployed last, with the next time, or why they start nothing.',
      params: servicePath,
      answers: { 200: Type.Array(WorkflowSchedule) },
      problems: [...found],
      run: ({ params, caller }) => readSchedules(platform, contextOf(caller), params.serviceId),
    }),
    endpoint({
      method: 'PUT',
      path: '/services/:serviceId/workflow-schedules/:elementId/retry',
      id: 'retryWorkflowSchedule',
      tag,
      access: 'workflow-schedule:retry',
      summary: 'Try a timer start event again that has failed or is stopped',
      description:
        '202: a worker starts an instance at once, and then at its times. One that has not failed is left as it is.',
      params: Type.Object({ serviceId: Id, elementId: Type.String({ minLength: 1, maxLength: limits.nameLength }) }),
      answers: { 202: WorkflowSchedule },
      problems: [...found],
      run: ({ params, caller }) => retrySchedule(platform, contextOf(caller), params.serviceId, params.elementId),
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-instances/:instanceId',
      id: 'getWorkflowInstance',
      tag,
      access: 'workflow-instance:read',
      summary: 'Read where an instance is, its open incidents, and its variables',
      description:
        'Variables, and what services answered, only of an instance that was started for the caller. `Prefer: wait=N` waits for its next step, or for one that `If-None-Match` does not name.',
      waits: true,
      params: one,
      answers: { 200: WorkflowInstanceDetails, 304: null },
      problems: [...found],
      handle: async ({ params, caller, request }) => {
        const isKnown = (tag: string): boolean =>
          request.headers['if-none-match'] === undefined || isFresh(request, tag);
        const { instanceId } = params;
        const { value, seconds } = await readInstance(
          reader,
          contextOf(caller),
          instanceId,
          wantedWait(request),
          isKnown,
        );
        return answerUnlessFresh(request, value, waited(seconds));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-instances/:instanceId/journal',
      id: 'getWorkflowJournal',
      tag,
      access: 'workflow-instance:read',
      summary: 'Read what an instance did, in order',
      description: '`Prefer: wait=N` waits for its next step when there is no entry after `after`.',
      waits: true,
      params: one,
      query: Type.Object({
        after: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of the last entry that is known.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize })),
      }),
      answers: { 200: Type.Array(WorkflowJournalEntry) },
      problems: [...found, 'not-permitted'],
      handle: async ({ params, caller, query, request }) => {
        const wait = wantedWait(request);
        const { value, seconds } = await readJournal(reader, contextOf(caller), params.instanceId, query, wait);
        const body = value.map((entry) => ({ ...entry, at: toTimestamp(entry.at) }));
        return { status: 200, body, headers: waited(seconds) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-instances/:instanceId/variables',
      id: 'getWorkflowVariables',
      tag,
      access: 'workflow-instance:read',
      summary: 'Read the variables of each scope of an instance, now or after an earlier step',
      description:
        'Earlier ones are computed from the journal; they are those after the whole action to which the entry belongs.',
      params: one,
      query: Type.Object({
        step: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Number of an entry of the journal. Absent: as they are now.' }),
        ),
        elementId: Type.Optional(
          Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'Only the scopes of this element.' }),
        ),
      }),
      answers: { 200: WorkflowVariables },
      problems: [...found, 'not-permitted', 'history-not-available', 'too-many-readers'],
      run: ({ params, caller, query }) => readVariables(reader, contextOf(caller), params.instanceId, query),
    }),
    endpoint({
      method: 'PUT',
      path: '/workflow-instances/:instanceId/incidents/:incident/retry',
      id: 'retryWorkflowIncident',
      tag,
      access: 'workflow-instance:retry',
      summary: 'Try again what failed, now that its cause is mended',
      description: 'With `variables` these are corrected first. 202: a worker does it.',
      params: Type.Object({ instanceId: Id, incident: Type.Integer({ minimum: 1 }) }),
      body: RetryIncidentRequest,
      parseJson: parseExact,
      answers: { 202: WorkflowInstance },
      problems: [...found, 'not-permitted', 'invalid-secrets'],
      run: ({ params, body, caller }) => retryIncident(platform, workflows, contextOf(caller), params, body.variables),
    }),
  ];
}
