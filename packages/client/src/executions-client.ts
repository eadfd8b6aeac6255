import type { LogEntry, ServiceExecution } from '@kethub/contract';
import { path, read, send, sendForJson } from './connection.ts';
import type { Call, CallOptions, Connection } from './connection.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import { watch, type WatchOptions } from './watch.ts';

/** The result at the root, and the two HAL members: one link per result file, named by its file name. */
export interface ResultResponse {
  readonly [member: string]: unknown;
  readonly _links: Readonly<Record<string, { readonly href: string }>>;
  readonly _embedded: { readonly status: ServiceExecution };
}

export interface StartOptions extends CallOptions {
  /** Seconds to wait for the end before the answer; at most 60. */
  readonly wait?: number;
  readonly idempotencyKey?: string;
}

/** Input as a text is sent as it stands: JSON.stringify would make 1.0 an integer and sort keys such as "000". */
export type ExecutionInput = Readonly<Record<string, unknown>> | string;

/** Executions at one door: through a subscription, or as a person. Methods throw KethubError and UnreachableError. */
export interface ExecutionsClient {
  status(id: string, options?: CallOptions): Promise<ServiceExecution>;
  /** The status now and at every change, to the final one. */
  watch(id: string, options?: WatchOptions): AsyncGenerator<ServiceExecution, void>;
  result(id: string, options?: CallOptions): Promise<ResultResponse>;
  /** The text of the same answer: JSON.parse would round its long numbers and make 1.0 an integer. */
  resultText(id: string, options?: CallOptions): Promise<string>;
  /** A result file; its body is not read yet. */
  resultFile(id: string, name: string, options?: CallOptions): Promise<Response>;
  /** The log so far. */
  log(id: string, options?: CallOptions): Promise<LogEntry[]>;
  /** The log as it grows, to its end. */
  followLog(id: string, options?: FollowOptions): AsyncGenerator<FollowedEntry, void>;
  cancel(id: string, options?: CallOptions): Promise<ServiceExecution>;
}

/** Whether an execution can still change. */
export function isEnded(execution: Pick<ServiceExecution, 'status'>): boolean {
  // The contract has the same as isFinal; importing it at run time would load the schema library (150 ms) into `ket`.
  return execution.status !== 'PENDING' && execution.status !== 'RUNNING';
}

/** The request that starts an execution at `address`. */
export function startCall(address: string, input: ExecutionInput, options: StartOptions = {}): Call {
  const { wait, idempotencyKey, signal } = options;
  return {
    method: 'POST',
    path: address,
    ...(typeof input === 'string' ? { jsonText: input } : { json: input }),
    headers: {
      ...(wait !== undefined && { prefer: `wait=${wait}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    signal,
  };
}

/** The operations on executions below `at`, the same at every door. */
export function executionsAt(connection: Connection, at = ''): ExecutionsClient {
  const one = (id: string): string => at + path`/${id}`;
  return {
    status: (id, { signal } = {}) => sendForJson(connection, { path: one(id), signal }),
    watch: (id, watching) => watch<ServiceExecution>(connection, { path: one(id) }, isEnded, watching),
    result: (id, { signal } = {}) => sendForJson(connection, { path: `${one(id)}/result`, signal }),
    resultText: async (id, { signal } = {}) => {
      const response = await send(connection, { path: `${one(id)}/result`, signal });
      return read(response, signal, () => response.text());
    },
    resultFile: (id, name, { signal } = {}) =>
      send(connection, { path: one(id) + path`/result/${name}`, headers: { accept: '*/*' }, signal }),
    log: (id, { signal } = {}) => sendForJson(connection, { path: `${one(id)}/log`, signal }),
    followLog: (id, following) =>
      followLog(
        (headers) => send(connection, { path: `${one(id)}/log`, headers, signal: following?.signal }),
        following,
      ),
    cancel: (id, { signal } = {}) => sendForJson(connection, { method: 'PUT', path: `${one(id)}/cancel`, signal }),
  };
}
