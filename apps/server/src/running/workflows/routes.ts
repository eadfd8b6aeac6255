import {
  Id,
  IncidentFilter,
  limits,
  ResultResponse,
  RetryIncidentRequest,
  RetryIncidentsReceipt,
  RetryIncidentsRequest,
  WorkflowIncident,
  WorkflowIncidentGroup,
  WorkflowInstance,
  WorkflowInstanceCounts,
  WorkflowInstanceDetails,
  WorkflowJournalEntry,
  WorkflowMessageReceipt,
  WorkflowMessageRequest,
  WorkflowSchedule,
  WorkflowSignalReceipt,
  WorkflowSignalRequest,
} from '@kethub/contract';
import { jsonText, parseExact } from '@kethub/workflow';
import { Type } from 'typebox';
import { answerResult, type Executions, type Workflows } from '../executions/index.ts';
import {
  contextOf,
  ListQuery,
  once,
  platformEndpoint as endpoint,
  Problem,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createGraphs } from './graphs.ts';
import { broadcastSignal } from './broadcast.ts';
import { publishMessage } from './publish.ts';
import { readIncidentGroups, readIncidents } from './operators/incidents.ts';
import {
  InstancesQuery,
  readInstance,
  readInstanceCounts,
  readInstances,
  readJournal,
} from './operators/read-instances.ts';
import { retryIncidents } from './operators/retry-incidents.ts';
import { retryIncident } from './operators/retry-incident.ts';
import { readSchedules, retrySchedule } from './operators/schedules.ts';

const tag = 'Workflows';
const servicePath = Type.Object({ serviceId: Id });
const one = Type.Object({ instanceId: Id });
const found = ['invalid-request', 'not-found'] as const;

/** The result of workflow executions, messages for them, and what operators see of instances and do about incidents. */
export const workflowEndpoints = (
  platform: Platform,
  workflows: Workflows,
  executions: Executions,
): PlatformEndpoint[] => {
  const graphs = createGraphs(platform);
  return [
    endpoint({
      method: 'GET',
      path: '/workflow-service-executions/:executionId/result',
      id: 'getWorkflowResult',
      tag,
      access: 'execution:read',
      summary: 'Read the result of an execution of a workflow',
      description:
        'What the workflow returned at the root, or `errors`: it succeeded when there is no `errors`. 404 until it has ended or an incident is open.',
      params: Type.Object({ executionId: Id }),
      answers: { 200: ResultResponse },
      problems: ['invalid-request', 'execution-not-found', 'result-not-available', 'result-expired'],
      handle: async ({ params, caller }) => {
        const context = contextOf(caller);
        const instance = await platform.database.read
          .selectFrom('workflow_instances')
          .select('id')
          .where('id', '=', params.executionId)
          .executeTakeFirst();
        if (!instance)
          throw new Problem('execution-not-found', `You have no execution ${params.executionId} of a workflow.`);
        const of = { by: 'OWNER', type: context.type, id: context.id } as const;
        return answerResult(
          executions,
          { of, address: `${platform.addresses.api}/service-executions` },
          params.executionId,
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: '/services/:serviceId/workflow-messages',
      id: 'publishWorkflowMessage',
      tag,
      access: 'workflow-message:publish',
      summary: 'Publish a message for instances of an own workflow, or for its start events',
      params: servicePath,
      body: WorkflowMessageRequest,
      parseJson: parseExact,
      answers: { 201: WorkflowMessageReceipt },
      problems: [
        ...found,
        'malformed-json',
        'conflict',
        'too-large',
        'unsupported-media-type',
        'data-pool-not-readable',
        'storage-quota-exceeded',
        'input-not-an-object',
        'invalid-secrets',
        'request-in-progress',
        'idempotency-key-reused',
      ],
      handle: ({ params, body, caller, request }) => {
        const context = contextOf(caller);
        const scope = `workflow messages of ${context.type} ${context.id} for ${params.serviceId}`;
        return publishMessage(platform, workflows, context, params.serviceId, body, (act) =>
          once(platform, request.headers['idempotency-key'], scope, jsonText(body), act),
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: '/workflow-signals',
      id: 'broadcastWorkflowSignal',
      tag,
      access: 'workflow-signal:broadcast',
      summary: 'Broadcast a signal to own workflows',
      description:
        'It reaches every event that waits for a signal of this name now, in instances of all own workflow services, and starts an instance for each signal start event of its name. It is not kept for later. 202: workers deliver it.',
      body: WorkflowSignalRequest,
      parseJson: parseExact,
      answers: { 202: WorkflowSignalReceipt },
      problems: [
        'invalid-request',
        'malformed-json',
        'too-large',
        'unsupported-media-type',
        'invalid-secrets',
        'request-in-progress',
        'idempotency-key-reused',
      ],
      handle: ({ body, caller, request }) => {
        const context = contextOf(caller);
        return broadcastSignal(platform, workflows, context, body, (act) =>
          once(
            platform,
            request.headers['idempotency-key'],
            `workflow signals of ${context.type} ${context.id}`,
            jsonText(body),
            act,
          ),
        );
      },
    }),
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
      handle: ({ params, caller, query }) => readInstances(platform, contextOf(caller), params.serviceId, query),
    }),
    endpoint({
      method: 'GET',
      path: '/services/:serviceId/workflow-instances/counts',
      id: 'countWorkflowInstances',
      tag,
      access: 'workflow-instance:list',
      summary: 'Count the instances of an own workflow by phase',
      params: servicePath,
      answers: { 200: WorkflowInstanceCounts },
      problems: [...found],
      handle: async ({ params, caller }) => ({
        status: 200,
        body: await readInstanceCounts(platform, contextOf(caller), params.serviceId),
      }),
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
      handle: ({ caller, query }) => readIncidents(platform, graphs, contextOf(caller), query),
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
      handle: async ({ caller, query }) => ({
        status: 200,
        body: await readIncidentGroups(platform, graphs, contextOf(caller), query),
      }),
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
      problems: [...found, 'malformed-json', 'unsupported-media-type', 'invalid-secrets'],
      handle: async ({ body, caller }) => ({
        status: 202,
        body: await retryIncidents(platform, workflows, contextOf(caller), body),
      }),
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
      handle: ({ params: { serviceId }, caller, query }) =>
        readIncidents(platform, graphs, contextOf(caller), { ...query, serviceId }),
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
      handle: ({ params, caller }) => readSchedules(platform, contextOf(caller), params.serviceId),
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
      handle: ({ params, caller }) => retrySchedule(platform, contextOf(caller), params.serviceId, params.elementId),
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-instances/:instanceId',
      id: 'getWorkflowInstance',
      tag,
      access: 'workflow-instance:read',
      summary: 'Read where an instance is, its open incidents, and its variables',
      description: 'Variables, and what services answered, only of an instance that was started for the caller.',
      params: one,
      answers: { 200: WorkflowInstanceDetails },
      problems: [...found],
      handle: ({ params, caller }) => readInstance(platform, graphs, contextOf(caller), params.instanceId),
    }),
    endpoint({
      method: 'GET',
      path: '/workflow-instances/:instanceId/journal',
      id: 'getWorkflowJournal',
      tag,
      access: 'workflow-instance:read',
      summary: 'Read what an instance did, in order',
      params: one,
      query: Type.Object({
        after: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of the last entry that is known.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize })),
      }),
      answers: { 200: Type.Array(WorkflowJournalEntry) },
      problems: [...found, 'not-permitted'],
      handle: ({ params, caller, query }) => readJournal(platform, contextOf(caller), params.instanceId, query),
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
      problems: [...found, 'malformed-json', 'not-permitted', 'unsupported-media-type', 'invalid-secrets'],
      handle: ({ params, body, caller }) =>
        retryIncident(platform, workflows, contextOf(caller), params, body.variables),
    }),
  ];
};
