import {
  ApiSpecification,
  ExecutionInput,
  Id,
  ResultResponse,
  ServiceExecution,
  ServiceExecutionEntry,
  Tag,
  TokenError,
  TokenRequest,
  TokenResponse,
  WorkflowMessageReceipt,
  WorkflowMessageRequest,
  WorkflowSignalReceipt,
  WorkflowSignalRequest,
} from '@kethub/contract';
import { Type } from 'typebox';
import type { Subscriber } from '../../catalog/access/index.ts';
import { originOf, subscriberScope, type Executions, type ExecutionScope } from '../executions/index.ts';
import { endpointsOf, ListQuery, type Endpoint } from '../../foundation/http/index.ts';
import { logContent, logProblems } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Purpose } from './admission.ts';
import { countStarts } from './count-starts.ts';
import { readOpenApi } from './openapi.ts';
import type { TokenEndpoint } from './token.ts';

/**
 * CLIENT: an application that authenticates itself at the token endpoint. SUBSCRIBER: one with a bearer token. STARTER: the
 * same, for a version that has not been retired.
 */
export type GatewayAccess = 'CLIENT' | Purpose;
/** Null at the token endpoint. */
export type GatewayCaller = Subscriber | null;

const endpoint = endpointsOf<GatewayAccess, GatewayCaller>();
const service = '/:owner/:service/:version';
const address = { owner: Type.String(), service: Type.String(), version: Type.String() };
const one = Type.Object({ ...address, id: Id });
const refused = ['not-authenticated', 'not-subscribed', 'service-not-found'] as const;
const missing = [...refused, 'invalid-request', 'execution-not-found'] as const;
const tag = 'Service executions';

/** The token endpoint and the managed-service interface. */
export function gatewayEndpoints(
  platform: Platform,
  tokens: TokenEndpoint,
  executions: Executions,
): Endpoint<GatewayAccess, GatewayCaller>[] {
  return [
    endpoint({
      method: 'POST',
      path: '/token',
      id: 'requestToken',
      tag: 'Tokens',
      access: 'CLIENT',
      consumes: { 'application/x-www-form-urlencoded': TokenRequest },
      summary: 'Request a bearer token with the access key pair (grant_type=client_credentials)',
      answers: { 200: TokenResponse, 400: TokenError, 401: TokenError },
      problems: [],
      handle: ({ request }) => tokens.grant(request),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/`,
      id: 'listExecutions',
      tag,
      access: 'SUBSCRIBER',
      summary: 'List executions, newest first',
      params: Type.Object(address),
      query: Type.Object({ ...ListQuery.properties, tag: Type.Optional(Tag) }),
      answers: { 200: Type.Array(ServiceExecutionEntry) },
      problems: [...refused, 'invalid-request'],
      handle: ({ caller, query }) => executions.list(scopeOf(caller), query),
    }),
    endpoint({
      method: 'POST',
      path: `${service}/`,
      id: 'startExecution',
      waits: true,
      tag,
      access: 'STARTER',
      summary: 'Start an execution',
      description:
        'The body is the input: a JSON object. A parameter that takes a data pool is given as `{"id": "<uuid>", "ref": "DATAPOOL"}`, and the owner of the application has to be able to read it. `Prefer: wait=N` answers when it has ended, or after N seconds.',
      params: Type.Object(address),
      consumes: { 'application/json': ExecutionInput },
      answers: { 201: ServiceExecution },
      problems: [
        ...refused,
        'version-retired',
        'invalid-request',
        'malformed-json',
        'input-not-an-object',
        'invalid-secrets',
        'data-pool-not-readable',
        'storage-quota-exceeded',
        'resource-unavailable',
        'too-large',
        'unsupported-media-type',
        'quota-exceeded',
        'too-many-pending',
        'request-in-progress',
        'idempotency-key-reused',
      ],
      handle: ({ caller, request, reply }) =>
        countStarts(platform, admitted(caller), reply, (beforeCommit) =>
          executions.start(originOf(admitted(caller)), request, beforeCommit),
        ),
    }),
    endpoint({
      method: 'POST',
      path: `${service}/workflow-messages`,
      id: 'publishMessage',
      tag,
      access: 'STARTER',
      summary: 'Publish a message for a workflow',
      description:
        'It reaches an instance that was started through this subscription and waits for a message of this name and correlation key, now or until its time is up, and starts one where a message start event has its name. Only of workflows.',
      params: Type.Object(address),
      consumes: { 'application/json': WorkflowMessageRequest },
      answers: { 201: WorkflowMessageReceipt },
      problems: [
        ...refused,
        'not-found',
        'version-retired',
        'invalid-request',
        'malformed-json',
        'conflict',
        'data-pool-not-readable',
        'storage-quota-exceeded',
        'input-not-an-object',
        'invalid-secrets',
        'too-large',
        'unsupported-media-type',
        'quota-exceeded',
        'request-in-progress',
        'idempotency-key-reused',
      ],
      handle: ({ caller, request, reply }) =>
        countStarts(platform, admitted(caller), reply, (beforeCommit) =>
          executions.publish(originOf(admitted(caller)), request, beforeCommit),
        ),
    }),
    endpoint({
      method: 'POST',
      path: `${service}/workflow-signals`,
      id: 'broadcastSignal',
      tag,
      access: 'STARTER',
      summary: 'Broadcast a signal to a workflow',
      description:
        'It reaches every event that waits for a signal of this name now, in instances that were started through this subscription, and starts an instance for each signal start event of its name. It is not kept for later. Only of workflows.',
      params: Type.Object(address),
      consumes: { 'application/json': WorkflowSignalRequest },
      answers: { 202: WorkflowSignalReceipt },
      problems: [
        ...refused,
        'not-found',
        'version-retired',
        'invalid-request',
        'malformed-json',
        'data-pool-not-readable',
        'storage-quota-exceeded',
        'input-not-an-object',
        'invalid-secrets',
        'too-large',
        'unsupported-media-type',
        'quota-exceeded',
        'request-in-progress',
        'idempotency-key-reused',
      ],
      handle: ({ caller, request, reply }) =>
        countStarts(platform, admitted(caller), reply, (beforeCommit) =>
          executions.broadcast(originOf(admitted(caller)), request, beforeCommit),
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/openapi.json`,
      id: 'getServiceOpenApi',
      tag: 'API specifications',
      access: 'SUBSCRIBER',
      summary: 'Read the API specification of a managed service (OpenAPI)',
      params: Type.Object(address),
      answers: { 200: ApiSpecification, 304: null },
      problems: [...refused, 'not-found'],
      handle: ({ caller, request }) => readOpenApi(platform, admitted(caller), request),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/:id`,
      id: 'getExecution',
      waits: true,
      tag,
      access: 'SUBSCRIBER',
      summary: 'Read the status of an execution',
      description: '`Prefer: wait=N` waits for the status to change.',
      params: one,
      answers: { 200: ServiceExecution, 304: null },
      problems: [...missing],
      handle: ({ caller, params, request }) =>
        executions.status(scopeOf(caller), params.id, admitted(caller).applicationId, request),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/:id/result`,
      id: 'getResult',
      tag,
      access: 'SUBSCRIBER',
      summary: 'Read the result of an execution',
      description: 'For an execution that did not succeed the cause stands in its place: type, title and detail.',
      params: one,
      answers: { 200: ResultResponse },
      problems: [...missing, 'result-not-available', 'result-expired'],
      handle: ({ caller, params }) => executions.result(scopeOf(caller), params.id),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/:id/result/:file`,
      id: 'getResultFile',
      tag,
      access: 'SUBSCRIBER',
      summary: 'Download a result file',
      params: Type.Object({ ...address, id: Id, file: Type.String() }),
      description: 'With `Range` a part of it, and with `If-None-Match` nothing that is known already.',
      answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
      problems: [
        ...missing,
        'result-not-available',
        'result-expired',
        'result-file-not-found',
        'range-not-satisfiable',
      ],
      handle: ({ caller, params, request }) => executions.resultFile(scopeOf(caller), params.id, params.file, request),
    }),
    endpoint({
      method: 'GET',
      path: `${service}/:id/log`,
      id: 'getLog',
      tag,
      access: 'SUBSCRIBER',
      summary: 'Read or follow the log of an execution',
      params: one,
      answers: { 200: logContent },
      problems: [...missing, ...logProblems, 'result-expired'],
      handle: ({ caller, params, request, reply }) =>
        executions.log(scopeOf(caller), params.id, admitted(caller).applicationId, request, reply),
    }),
    endpoint({
      method: 'PUT',
      path: `${service}/:id/cancel`,
      id: 'cancelExecution',
      tag,
      access: 'SUBSCRIBER',
      summary: 'Cancel a PENDING or RUNNING execution',
      description: 'One that has ended stays as it is: the status says how it ended.',
      params: one,
      answers: { 200: ServiceExecution },
      problems: missing,
      handle: ({ caller, params }) => executions.cancel(scopeOf(caller), params.id),
    }),
  ];
}

function admitted(caller: GatewayCaller): Subscriber {
  if (!caller) throw new Error('An endpoint for subscribers was reached by somebody else');
  return caller;
}

function scopeOf(caller: GatewayCaller): ExecutionScope {
  return subscriberScope(admitted(caller));
}
