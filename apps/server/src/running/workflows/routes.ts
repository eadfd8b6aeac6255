import {
  Id,
  ResultResponse,
  WorkflowMessageReceipt,
  WorkflowMessageRequest,
  WorkflowSignalReceipt,
  WorkflowSignalRequest,
} from '@kethub/contract';
import { jsonText, parseExact } from '@kethub/workflow';
import { Type } from 'typebox';
import { json, type Executions, type Workflows } from '../executions/index.ts';
import {
  contextOf,
  once,
  platformEndpoint as endpoint,
  Problem,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { broadcastSignal } from './broadcast.ts';
import { publishMessage } from './publish.ts';
import { operatorEndpoints } from './operators/routes.ts';

const tag = 'Workflows';
const servicePath = Type.Object({ serviceId: Id });
const found = ['invalid-request', 'not-found'] as const;

/** The result of workflow executions, messages for them, and what operators see of instances and do about incidents. */
export const workflowEndpoints = (
  platform: Platform,
  workflows: Workflows,
  executions: Executions,
): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/workflow-service-executions/:executionId/result',
    id: 'getWorkflowResult',
    tag,
    access: 'execution:read',
    summary: 'Read the result of an execution of a workflow',
    description:
      'Members that the workflow returned, at the root, or `errors`: it succeeded when there is no `errors`. 404 until it has ended or an incident is open.',
    params: Type.Object({ executionId: Id }),
    answers: { 200: ResultResponse },
    problems: ['invalid-request', 'execution-not-found', 'result-not-available', 'result-expired'],
    run: async ({ params, caller }) => {
      const context = contextOf(caller);
      const instance = await platform.database.read
        .selectFrom('workflow_instances')
        .select('id')
        .where('id', '=', params.executionId)
        .executeTakeFirst();
      if (!instance)
        throw new Problem('execution-not-found', `You have no execution ${params.executionId} of a workflow.`);
      const of = { by: 'OWNER', type: context.type, id: context.id } as const;
      return executions.result({ of, address: `${platform.addresses.api}/service-executions` }, params.executionId);
    },
    headers: json,
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
      'conflict',
      'data-pool-not-readable',
      'storage-quota-exceeded',
      'input-not-an-object',
      'invalid-secrets',
      'request-in-progress',
      'idempotency-key-reused',
    ],
    run: ({ params, body, caller, request }) => {
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
      'It reaches every event that waits for a signal of this name now, in instances of all own workflow services. It also starts an instance for each signal start event of its name. It is not kept for later. 202: workers deliver it.',
    body: WorkflowSignalRequest,
    parseJson: parseExact,
    answers: { 202: WorkflowSignalReceipt },
    problems: ['invalid-secrets', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ body, caller, request }) => {
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
  ...operatorEndpoints(platform, workflows),
];
