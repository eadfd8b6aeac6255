import {
  ExecutionCounts,
  ExecutionInput,
  ExecutionRecord,
  Id,
  limits,
  OwnedExecution,
  ProvidedExecution,
  ServiceExecution,
  Version,
} from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  answerStart,
  endExecution,
  executionEndpoints,
  json,
  startCall,
  type Executions,
} from '../executions/index.ts';
import {
  contextOf,
  list,
  ListQuery,
  personOf,
  platformEndpoint as endpoint,
  type Answer,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Caller, Context, Platform, PlatformAccess } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import { listOwned, listProvided, providedRecord } from './list.ts';
import { countOwned, countProvided } from './counts.ts';
import { OwnedQuery, ProvidedQuery } from './filter-query.ts';
import { jobScope } from './scope.ts';
import { originOfJob } from './start-job.ts';

const tag = 'Jobs';
const servicePath = Type.Object({ serviceId: Id });
const one = Type.Object({ executionId: Id });
const { tag: _tag, ...ownedCounts } = OwnedQuery.properties;
const steps = { per: Type.Optional(Type.Enum(['hour', 'day'])) };
const missing = ['invalid-request', 'execution-not-found'] as const;

const start = {
  method: 'POST',
  tag,
  access: 'execution:start',
  waits: true,
  consumes: { 'application/json': ExecutionInput },
  jsonTextBytes: limits.executionInputBytes,
  answers: { 201: ServiceExecution },
  problems: [
    'invalid-request',
    'malformed-json',
    'input-not-an-object',
    'invalid-secrets',
    'data-pool-not-readable',
    'storage-quota-exceeded',
    'too-many-pending',
    'not-found',
    'conflict',
    'build-not-succeeded',
    'invalid-workflow',
    'resource-unavailable',
    'too-large',
    'unsupported-media-type',
    'request-in-progress',
    'idempotency-key-reused',
  ],
} as const;

/** The job interface: people run services that are their own or shared with them, and read the executions. */
export const jobEndpoints = (platform: Platform, executions: Executions): PlatformEndpoint[] => [
  endpoint({
    ...start,
    path: '/services/:serviceId/executions',
    id: 'startJob',
    summary: 'Run the newest version of a service: the newest published one, or the draft while there is none',
    description:
      'The service is of the caller, or shared with them, published or not. The body is the input: a JSON object. `Prefer: wait=N` answers when it has ended, or after N seconds.',
    params: servicePath,
    handle: ({ params, caller, request }) =>
      startJob(platform, executions, contextOf(caller), params.serviceId, null, request),
  }),
  endpoint({
    ...start,
    path: '/services/:serviceId/versions/:version/executions',
    id: 'startJobOfVersion',
    summary: 'Run a version of a service',
    description:
      'An owner may also run a draft whose build has succeeded. A recipient of a share may run a published version, or the draft while no published one can be started. The service need not be published internally. The body is the input: a JSON object. `Prefer: wait=N` answers when it has ended, or after N seconds.',
    params: Type.Object({ serviceId: Id, version: Version }),
    handle: ({ params, caller, request }) =>
      startJob(platform, executions, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/executions',
    id: 'listProvidedExecutions',
    tag,
    access: 'execution:list',
    summary: 'List all executions of an own service, of any owner, newest first',
    params: servicePath,
    query: Type.Object({ ...ListQuery.properties, ...ProvidedQuery.properties }),
    answers: { 200: Type.Array(ProvidedExecution) },
    problems: ['not-found'],
    handle: async ({ params, caller, query }) =>
      list(query, await listProvided(platform, contextOf(caller), params.serviceId, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/executions/:executionId/record',
    id: 'getProvidedRecord',
    tag,
    access: 'execution:list',
    summary: 'Read the record of an execution of an own service, of any owner: hashes, sizes, times and usage',
    params: Type.Object({ serviceId: Id, executionId: Id }),
    answers: { 200: ExecutionRecord },
    problems: ['invalid-request', 'not-found', 'execution-not-found'],
    run: ({ params, caller }) => providedRecord(platform, contextOf(caller), params.serviceId, params.executionId),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions',
    id: 'listOwnedExecutions',
    tag,
    access: 'execution:list',
    summary: 'List the executions that were started for the caller, as jobs or by applications, newest first',
    query: Type.Object({ ...ListQuery.properties, ...OwnedQuery.properties }),
    answers: { 200: Type.Array(OwnedExecution) },
    problems: [],
    handle: ({ caller, query }) => list(query, listOwned(platform, contextOf(caller), query)),
  }),
  endpoint({
    method: 'GET',
    path: '/usage/executions',
    id: 'countOwnedExecutions',
    tag,
    access: 'execution:list',
    summary: 'Count the executions of the caller by status, per day or hour',
    description: 'Without `from` the last 30 days, or 24 hours by the hour. Executions that were deleted do not count.',
    query: Type.Object({ ...ownedCounts, ...steps }),
    answers: { 200: ExecutionCounts },
    problems: [],
    run: ({ caller, query }) => countOwned(platform, contextOf(caller), query),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/usage',
    id: 'countProvidedExecutions',
    tag,
    access: 'execution:list',
    summary: 'Count the executions of an own service, of any owner, by status, per day or hour',
    params: servicePath,
    query: Type.Object({ ...ProvidedQuery.properties, ...steps }),
    answers: { 200: ExecutionCounts },
    problems: ['not-found'],
    run: ({ params, caller, query }) => countProvided(platform, contextOf(caller), params.serviceId, query),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions/:executionId/input',
    id: 'getOwnedInput',
    tag,
    access: 'execution:read',
    summary: 'Read the input of an execution, without secrets and tags',
    description: 'Byte for byte as it was sent. It is kept with the result, up to 64 KiB.',
    params: one,
    answers: { 200: { media: ['application/json'], json: ExecutionInput } },
    problems: [...missing, 'result-expired', 'input-not-kept'],
    run: ({ params, caller }) => executions.input(jobScope(platform, contextOf(caller)), params.executionId),
    headers: json,
  }),
  ...executionEndpoints<PlatformAccess, Caller>(executions, {
    path: '/service-executions/:executionId',
    params: {},
    idParameter: 'executionId',
    tag,
    ids: {
      status: 'getOwnedExecution',
      result: 'getOwnedResult',
      resultFile: 'getOwnedResultFile',
      log: 'getOwnedLog',
      cancel: 'cancelOwnedExecution',
    },
    access: { read: 'execution:read', cancel: 'execution:cancel' },
    problems: missing,
    readerOf: (caller) => ({ id: contextOf(caller).personId, scope: jobScope(platform, contextOf(caller)) }),
  }),
  endpoint({
    method: 'HEAD',
    path: '/service-executions/:executionId/result/:file',
    id: 'describeOwnedResultFile',
    tag,
    access: 'execution:read',
    summary: 'Read size, type and mark of a result file',
    params: Type.Object({ executionId: Id, file: Type.String() }),
    answers: { 200: null, 304: null },
    problems: [...missing, 'result-not-available', 'result-expired', 'result-file-not-found'],
    handle: ({ params, caller, request }) =>
      executions.resultFileHead(jobScope(platform, contextOf(caller)), params.executionId, params.file, request),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions/:executionId/record',
    id: 'getOwnedRecord',
    tag,
    access: 'execution:read',
    summary: 'Read the record of an execution: what is needed to run it again, and to trust it',
    params: one,
    answers: { 200: ExecutionRecord },
    problems: missing,
    run: ({ params, caller }) => executions.record(jobScope(platform, contextOf(caller)), params.executionId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/service-executions/:executionId',
    id: 'deleteOwnedExecution',
    tag,
    access: 'execution:delete',
    summary: 'Delete an execution that has ended, with its result, result files and log',
    description:
      'Cancel it first if it runs. The journal of a workflow is deleted as well; executions that its tasks have started stay, and so does what was charged. Afterwards requests for it answer 404.',
    params: one,
    answers: { 204: null },
    problems: [...missing, 'execution-not-ended'],
    run: ({ params, caller }) => {
      const context = contextOf(caller);
      return executions.delete(jobScope(platform, context), params.executionId, context.personId);
    },
  }),
  endpoint({
    method: 'POST',
    path: '/service-executions/:executionId/end',
    id: 'endExecution',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'End any execution at once, even one that blocks its slot',
    description:
      'PENDING becomes FAILED and RUNNING becomes UNKNOWN at once; an execution that has ended keeps its status. Its worker ends the processes and frees the slot within seconds, even if the end cannot be recorded. The audit logs of the administrator and of the owner record it.',
    params: one,
    answers: { 200: ServiceExecution },
    problems: [...missing, 'conflict'],
    run: ({ params, caller }) => endExecution(platform, personOf(caller), params.executionId),
  }),
];

/** Starts an execution as a person. The body of the request is the input. */
async function startJob(
  platform: Platform,
  executions: Executions,
  context: Context,
  serviceId: string,
  version: string | null,
  request: FastifyRequest,
): Promise<Answer> {
  const origin = await originOfJob(platform, context, serviceId, version);
  const lock = (transaction: Queries) => lockOwnerShared(platform, transaction, context);
  return answerStart(await executions.start(origin, startCall(request), lock));
}
