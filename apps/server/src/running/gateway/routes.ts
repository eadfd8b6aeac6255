import {
  ApiSpecification,
  ExecutionInput,
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
import {
  answerStart,
  executionEndpoints,
  originOf,
  sentText,
  startCall,
  subscriberScope,
  type Executions,
} from '../executions/index.ts';
import { endpointsOf, list, ListQuery, type Endpoint } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { answerSpecification, subscribersSpecification } from '../../catalog/services/index.ts';
import type { Purpose } from './admission.ts';
import { appendQuota, countStarts } from './count-starts.ts';
import type { TokenEndpoint } from './token.ts';

/**
 * CLIENT: an application that authenticates at the token endpoint. SUBSCRIBER: an application with a bearer token. STARTER: a
 * subscriber of a version that is not retired.
 */
type GatewayAccess = 'CLIENT' | Purpose;
/** Null at the token endpoint. */
export type GatewayCaller = Subscriber | null;

const endpoint = endpointsOf<GatewayAccess, GatewayCaller>();
const service = '/:owner/:service/:version';
const address = { owner: Type.String(), service: Type.String(), version: Type.String() };
const refused = ['not-authenticated', 'not-subscribed', 'service-not-found'] as const;
/** Problems of every operation whose body starts executions. */
const starting = [
  ...refused,
  'version-retired',
  'invalid-request',
  'malformed-json',
  'input-not-an-object',
  'invalid-secrets',
  'data-pool-not-readable',
  'storage-quota-exceeded',
  'too-large',
  'unsupported-media-type',
  'quota-exceeded',
  'request-in-progress',
  'idempotency-key-reused',
] as const;
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
      problems: ['too-large', 'unsupported-media-type'],
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
      problems: [...refused],
      handle: ({ caller, query }) => list(query, executions.list(subscriberScope(admitted(caller)), query)),
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
      problems: [...starting, 'resource-unavailable', 'too-many-pending'],
      handle: async ({ caller, request, reply }) => {
        const subscriber = admitted(caller);
        const { started, fields } = await countStarts(platform, subscriber, (beforeCommit) =>
          executions.start(originOf(subscriber), startCall(request), beforeCommit),
        );
        const answer = answerStart(started);
        return { ...answer, headers: { ...answer.headers, ...appendQuota(fields, reply) } };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${service}/workflow-messages`,
      id: 'publishMessage',
      tag,
      access: 'STARTER',
      summary: 'Publish a message for a workflow',
      description:
        'The service must be a workflow. The message reaches an instance of this subscription that waits for its name and correlation key, now or until the message expires. It also starts an instance if a message start event has its name.',
      params: Type.Object(address),
      consumes: { 'application/json': WorkflowMessageRequest },
      answers: { 201: WorkflowMessageReceipt },
      problems: [...starting, 'account-being-deleted', 'not-found', 'conflict'],
      handle: async ({ caller, request, reply }) => {
        const subscriber = admitted(caller);
        const { started, fields } = await countStarts(platform, subscriber, (beforeCommit) =>
          executions.publish(originOf(subscriber), sentText(request, 'the message'), beforeCommit),
        );
        return { status: 201, body: started, headers: appendQuota(fields, reply) };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${service}/workflow-signals`,
      id: 'broadcastSignal',
      tag,
      access: 'STARTER',
      summary: 'Broadcast a signal to a workflow',
      description:
        'It reaches every event that waits for a signal of this name now, in instances that were started through this subscription. It also starts an instance for each signal start event of its name. It is not kept for later. Only of workflows.',
      params: Type.Object(address),
      consumes: { 'application/json': WorkflowSignalRequest },
      answers: { 202: WorkflowSignalReceipt },
      problems: [...starting, 'account-being-deleted', 'not-found'],
      handle: async ({ caller, request, reply }) => {
        const subscriber = admitted(caller);
        const { started, fields } = await countStarts(platform, subscriber, (beforeCommit) =>
          executions.broadcast(originOf(subscriber), sentText(request, 'the signal'), beforeCommit),
        );
        return { status: 202, body: started, headers: appendQuota(fields, reply) };
      },
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
      handle: async ({ caller, request }) => {
        const { serviceId, serviceVersionId, address: endpointUrl } = admitted(caller);
        const specification = await subscribersSpecification(platform, serviceId, serviceVersionId, endpointUrl);
        return answerSpecification(request, specification);
      },
    }),
    ...executionEndpoints<GatewayAccess, GatewayCaller>(executions, {
      path: `${service}/:id`,
      params: address,
      idParameter: 'id',
      tag,
      ids: {
        status: 'getExecution',
        result: 'getResult',
        resultFile: 'getResultFile',
        log: 'getLog',
        cancel: 'cancelExecution',
      },
      access: { read: 'SUBSCRIBER', cancel: 'SUBSCRIBER' },
      problems: [...refused, 'invalid-request', 'execution-not-found'],
      readerOf: (caller) => ({ id: admitted(caller).applicationId, scope: subscriberScope(admitted(caller)) }),
    }),
  ];
}

function admitted(caller: GatewayCaller): Subscriber {
  if (!caller) throw new Error('An endpoint for subscribers was reached without a subscriber');
  return caller;
}
