import { Id, ResultResponse, ServiceExecution, type ProblemCode } from '@kethub/contract';
import { Type, type TProperties } from 'typebox';
import type { FastifyRequest } from 'fastify';
import {
  endpointsOf,
  etag,
  isFresh,
  Problem,
  waited,
  wantedWait,
  type Answer,
  type Endpoint,
} from '../../foundation/http/index.ts';
import { logContent, logProblems } from '../../foundation/logs/index.ts';
import { traceOf } from '../../foundation/telemetry/index.ts';
import type { Executions, Started } from './operations.ts';
import type { ExecutionReader } from './scope.ts';
import type { WaitedStatus } from './status.ts';

export const json = { 'content-type': 'application/json; charset=utf-8' };

/**
 * The address of executions at an interface: those of subscribers at the gateway, those of owners at the platform
 * interface.
 */
interface ExecutionAddress<A extends string, C> {
  /** Path of one execution. */
  readonly path: string;
  /** The parameters of the path, without the id. */
  readonly params: TProperties;
  readonly idParameter: string;
  readonly tag: string;
  /** Unique names of the operations in the interface description. */
  readonly ids: Readonly<Record<'status' | 'result' | 'resultFile' | 'log' | 'cancel', string>>;
  readonly access: { readonly read: A; readonly cancel: A };
  /** Problems of every request that names an execution. */
  readonly problems: readonly ProblemCode[];
  readonly readerOf: (caller: C) => ExecutionReader;
}

/** The operations on one execution, which both interfaces offer alike. */
export function executionEndpoints<A extends string, C>(
  executions: Executions,
  { path, params, idParameter, tag, ids, access, problems, readerOf }: ExecutionAddress<A, C>,
): Endpoint<A, C>[] {
  const endpoint = endpointsOf<A, C>();
  const one = { ...params, [idParameter]: Id };
  const idIn = (values: object): string => String(Reflect.get(values, idParameter));
  return [
    endpoint({
      method: 'GET',
      path,
      id: ids.status,
      waits: true,
      tag,
      access: access.read,
      summary: 'Read the status of an execution',
      description: '`Prefer: wait=N` waits for the status to change.',
      params: Type.Object(one),
      answers: { 200: ServiceExecution, 304: null },
      problems,
      handle: async ({ caller, params, request }) =>
        answerStatus(request, await executions.status(readerOf(caller), idIn(params), wantedWait(request))),
    }),
    endpoint({
      method: 'GET',
      path: `${path}/result`,
      id: ids.result,
      tag,
      access: access.read,
      summary: 'Read the result of an execution',
      description: 'An execution that did not succeed has its cause instead: type, title and detail.',
      params: Type.Object(one),
      answers: { 200: ResultResponse },
      problems: [...problems, 'result-not-available', 'result-expired'],
      run: ({ caller, params }) => executions.result(readerOf(caller).scope, idIn(params)),
      headers: json,
    }),
    endpoint({
      method: 'GET',
      path: `${path}/result/:file`,
      id: ids.resultFile,
      tag,
      access: access.read,
      summary: 'Download a result file',
      params: Type.Object({ ...one, file: Type.String() }),
      description: '`Range` reads a part of it. `If-None-Match` answers 304 if it has not changed.',
      answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
      problems: [
        ...problems,
        'result-not-available',
        'result-expired',
        'result-file-not-found',
        'range-not-satisfiable',
      ],
      handle: ({ caller, params, request }) =>
        executions.resultFile(readerOf(caller).scope, idIn(params), params.file, request),
    }),
    endpoint({
      method: 'GET',
      path: `${path}/log`,
      id: ids.log,
      tag,
      access: access.read,
      summary: 'Read or follow the log of an execution',
      params: Type.Object(one),
      answers: { 200: logContent },
      problems: [...problems, ...logProblems, 'result-expired'],
      handle: ({ caller, params, request, reply }) => executions.log(readerOf(caller), idIn(params), request, reply),
    }),
    endpoint({
      method: 'PUT',
      path: `${path}/cancel`,
      id: ids.cancel,
      tag,
      access: access.cancel,
      summary: 'Cancel a PENDING or RUNNING execution',
      description: 'An execution that has ended stays as it is; its status says how it ended.',
      params: Type.Object(one),
      answers: { 200: ServiceExecution },
      problems,
      run: ({ caller, params }) => executions.cancel(readerOf(caller).scope, idIn(params)),
    }),
  ];
}

function answerStatus(request: FastifyRequest, { read: { status, text }, seconds }: WaitedStatus): Answer {
  const tag = etag(status);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  // Text skips the serializer, which would be 5 % of this most frequent request.
  return { status: 200, body: text, headers: { ...json, etag: tag, ...waited(seconds) } };
}

/** The call of a request that starts an execution; its body is the input. */
export function startCall(request: FastifyRequest) {
  return { ...sentText(request, 'the input'), trace: traceOf(request), wait: wantedWait(request) };
}

/** The JSON of a request. Throws unsupported-media-type for any other body. */
export function sentText({ body, headers }: FastifyRequest, what: string) {
  if (Buffer.isBuffer(body)) return { text: body, idempotencyKey: headers['idempotency-key'] };
  throw new Problem('unsupported-media-type', `Send ${what} as a JSON object with Content-Type: application/json.`);
}

/** Answers a start with the address of the execution. */
export function answerStart({ status, address, waited: seconds }: Started): Answer {
  return { status: 201, body: status, headers: { location: address, ...waited(seconds) } };
}
