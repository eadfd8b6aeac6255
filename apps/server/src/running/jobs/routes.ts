import {
  ExecutionInput,
  ExecutionRecord,
  Id,
  limits,
  OwnedExecution,
  ProvidedExecution,
  ResultResponse,
  ServiceExecution,
  Tag,
  Version,
} from '@kethub/contract';
import { Type } from 'typebox';
import { endExecution, type Executions } from '../executions/index.ts';
import {
  contextOf,
  ListQuery,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import { logContent, logProblems } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { listOwned, listProvided, providedRecord } from './list.ts';
import { jobScope } from './scope.ts';
import { startJob } from './start-job.ts';

const tag = 'Jobs';
const servicePath = Type.Object({ serviceId: Id });
const one = Type.Object({ executionId: Id });
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

/** The job interface: executions started and seen by people, of services that are theirs or shared with them. */
export const jobEndpoints = (platform: Platform, executions: Executions): PlatformEndpoint[] => [
  endpoint({
    ...start,
    path: '/services/:serviceId/executions',
    id: 'startJob',
    summary: 'Run the newest version of a service: the newest published one, or the draft while there is none',
    description:
      'Of the caller, or shared with them, published or not. The body is the input: a JSON object. `Prefer: wait=N` answers when it has ended, or after N seconds.',
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
      'Of a service of their own, also a draft whose build has succeeded; of one that is shared with them, a published version, or the draft while no published one can be started. The service need not be published internally. The body is the input: a JSON object. `Prefer: wait=N` answers when it has ended, or after N seconds.',
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
    summary: 'List all executions of an own service, whoever started them, newest first',
    params: servicePath,
    query: ListQuery,
    answers: { 200: Type.Array(ProvidedExecution) },
    problems: ['invalid-request', 'not-found'],
    handle: ({ params, caller, query }) => listProvided(platform, contextOf(caller), params.serviceId, query),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/executions/:executionId/record',
    id: 'getProvidedRecord',
    tag,
    access: 'execution:list',
    summary: 'Read the record of an execution of an own service, whoever started it: hashes, sizes, times and usage',
    params: Type.Object({ serviceId: Id, executionId: Id }),
    answers: { 200: ExecutionRecord },
    problems: ['invalid-request', 'not-found', 'execution-not-found'],
    handle: ({ params, caller }) => providedRecord(platform, contextOf(caller), params.serviceId, params.executionId),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions',
    id: 'listOwnedExecutions',
    tag,
    access: 'execution:list',
    summary: 'List the executions that were started for the caller, as jobs or by applications, newest first',
    query: Type.Object({ ...ListQuery.properties, serviceId: Type.Optional(Id), tag: Type.Optional(Tag) }),
    answers: { 200: Type.Array(OwnedExecution) },
    problems: ['invalid-request'],
    handle: ({ caller, query }) => listOwned(platform, contextOf(caller), query),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions/:executionId',
    id: 'getOwnedExecution',
    waits: true,
    tag,
    access: 'execution:read',
    summary: 'Read the status of an execution',
    description: '`Prefer: wait=N` waits for the status to change.',
    params: one,
    answers: { 200: ServiceExecution, 304: null },
    problems: missing,
    handle: ({ params, caller, request }) =>
      executions.status(jobScope(platform, contextOf(caller)), params.executionId, contextOf(caller).personId, request),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions/:executionId/result',
    id: 'getOwnedResult',
    tag,
    access: 'execution:read',
    summary: 'Read the result of an execution',
    description: 'For an execution that did not succeed the cause stands in its place: type, title and detail.',
    params: one,
    answers: { 200: ResultResponse },
    problems: [...missing, 'result-not-available', 'result-expired'],
    handle: ({ params, caller }) => executions.result(jobScope(platform, contextOf(caller)), params.executionId),
  }),
  endpoint({
    method: 'GET',
    path: '/service-executions/:executionId/result/:file',
    id: 'getOwnedResultFile',
    tag,
    access: 'execution:read',
    summary: 'Download a result file',
    params: Type.Object({ executionId: Id, file: Type.String() }),
    description: 'With `Range` a part of it, and with `If-None-Match` nothing that is known already.',
    answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
    problems: [...missing, 'result-not-available', 'result-expired', 'result-file-not-found', 'range-not-satisfiable'],
    handle: ({ params, caller, request }) =>
      executions.resultFile(jobScope(platform, contextOf(caller)), params.executionId, params.file, request),
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
    path: '/service-executions/:executionId/log',
    id: 'getOwnedLog',
    tag,
    access: 'execution:read',
    summary: 'Read or follow the log of an execution',
    params: one,
    answers: { 200: logContent },
    problems: [...missing, ...logProblems, 'result-expired'],
    handle: ({ params, caller, request, reply }) =>
      executions.log(
        jobScope(platform, contextOf(caller)),
        params.executionId,
        contextOf(caller).personId,
        request,
        reply,
      ),
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
    handle: ({ params, caller }) => executions.record(jobScope(platform, contextOf(caller)), params.executionId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/service-executions/:executionId',
    id: 'deleteOwnedExecution',
    tag,
    access: 'execution:delete',
    summary: 'Delete an execution that has ended, with its result, result files and log',
    description:
      'Cancel it first if it runs. Of a workflow its journal goes as well; what services its tasks have called stays. What was charged stays. Afterwards the execution is not there: 404.',
    params: one,
    answers: { 204: null },
    problems: [...missing, 'execution-not-ended'],
    handle: ({ params, caller }) => {
      const context = contextOf(caller);
      return executions.delete(jobScope(platform, context), params.executionId, context.personId);
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/service-executions/:executionId/cancel',
    id: 'cancelOwnedExecution',
    tag,
    access: 'execution:cancel',
    summary: 'Cancel a PENDING or RUNNING execution',
    description: 'One that has ended stays as it is: the status says how it ended.',
    params: one,
    answers: { 200: ServiceExecution },
    problems: missing,
    handle: ({ params, caller }) => executions.cancel(jobScope(platform, contextOf(caller)), params.executionId),
  }),
  endpoint({
    method: 'POST',
    path: '/service-executions/:executionId/end',
    id: 'endExecution',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'End an execution of anybody, whatever holds it',
    description:
      'PENDING becomes FAILED, RUNNING becomes UNKNOWN, at once; one that has ended keeps its status. The worker that has it ends its processes and frees its place within seconds, also when the end cannot be recorded or collected. On record in the audit logs of the administrator and of the owner.',
    params: one,
    answers: { 200: ServiceExecution },
    problems: [...missing, 'conflict'],
    handle: ({ params, caller }) => endExecution(platform, personOf(caller), params.executionId),
  }),
];
