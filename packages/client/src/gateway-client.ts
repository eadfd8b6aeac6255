import type { LogEntry, ServiceExecution, ServiceExecutionEntry, TokenResponse } from '@kethub/contract';
import { attempt, path, read, readJson, send, sendForJson, withoutSlash } from './connection.ts';
import type { CallOptions, Connection } from './connection.ts';
import { answerError } from './errors.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import { watch, type WatchOptions } from './watch.ts';

export interface GatewayClientOptions {
  /** {gateway_url}/token. */
  readonly tokenEndpoint: string;
  /** Address of the subscribed service. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly fetch?: typeof fetch;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

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

/** One subscribed service. Methods throw KethubError and UnreachableError. */
export interface GatewayClient {
  /** With a slash at the end. */
  readonly endpoint: string;
  /** The same application at another of its subscribed services; both share the bearer token. */
  at(endpoint: string): GatewayClient;
  /** Executions of this subscription, newest first. */
  list(options?: CallOptions & { readonly limit?: number }): Promise<ServiceExecutionEntry[]>;
  /** Input as a text is sent as it stands: JSON.stringify would make 1.0 an integer and sort keys such as "000". */
  start(input: Readonly<Record<string, unknown>> | string, options?: StartOptions): Promise<ServiceExecution>;
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

/** Calls a service through the gateway. Gets its bearer token itself, and a new one before or when it has expired. */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  return clientAt(options.endpoint, options.fetch ?? fetch, bearerSource(options));
}

function clientAt(address: string, fetchIt: typeof fetch, authenticate: Connection['authenticate']): GatewayClient {
  const endpoint = withoutSlash(address);
  const connection: Connection = { baseUrl: endpoint, fetch: fetchIt, authenticate, renewable: true };
  return {
    endpoint: `${endpoint}/`,
    at: (other) => clientAt(other, fetchIt, authenticate),
    list: ({ limit, signal } = {}) =>
      sendForJson(connection, { path: limit === undefined ? '/' : `/?limit=${limit}`, signal }),
    start: (input, { wait, idempotencyKey, signal } = {}) =>
      sendForJson(connection, {
        method: 'POST',
        path: '/',
        ...(typeof input === 'string' ? { jsonText: input } : { json: input }),
        headers: {
          ...(wait !== undefined && { prefer: `wait=${wait}` }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        signal,
      }),
    status: (id, { signal } = {}) => sendForJson(connection, { path: path`/${id}`, signal }),
    watch: (id, watching) => watch<ServiceExecution>(connection, { path: path`/${id}` }, isEnded, watching),
    result: (id, { signal } = {}) => sendForJson(connection, { path: path`/${id}/result`, signal }),
    resultText: async (id, { signal } = {}) => {
      const response = await send(connection, { path: path`/${id}/result`, signal });
      return read(response, signal, () => response.text());
    },
    resultFile: (id, name, { signal } = {}) =>
      send(connection, { path: path`/${id}/result/${name}`, headers: { accept: '*/*' }, signal }),
    log: (id, { signal } = {}) => sendForJson(connection, { path: path`/${id}/log`, signal }),
    followLog: (id, following) =>
      followLog(
        (headers) => send(connection, { path: path`/${id}/log`, headers, signal: following?.signal }),
        following,
      ),
    cancel: (id, { signal } = {}) => sendForJson(connection, { method: 'PUT', path: path`/${id}/cancel`, signal }),
  };
}

/** Bearer tokens by the client credentials grant. Calls at the same time share one request for a token. */
function bearerSource(options: GatewayClientOptions): Connection['authenticate'] {
  const now = options.now ?? (() => performance.now());
  let current: { readonly header: string; readonly renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function request(signal: AbortSignal | undefined): Promise<string> {
    const asked = now();
    const token = await requestToken(options, signal);
    // A tenth of the lifetime, at most 30 s, is kept for the way of the request that carries it.
    const lifetime = token.expires_in * 1000;
    current = { header: `Bearer ${token.access_token}`, renewAt: asked + lifetime - Math.min(30_000, lifetime / 10) };
    return current.header;
  }

  return async (renew, signal) => {
    if (renew) current = undefined;
    if (current && now() < current.renewAt) return { authorization: current.header };
    pending ??= request(signal).finally(() => {
      pending = undefined;
    });
    return { authorization: await pending };
  };
}

async function requestToken(options: GatewayClientOptions, signal: AbortSignal | undefined): Promise<TokenResponse> {
  const url = options.tokenEndpoint;
  const response = await attempt(options.fetch ?? fetch, url, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${options.accessKeyId}:${options.secretAccessKey}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    redirect: 'manual',
    ...(signal && { signal }),
  });
  if (!response.ok) throw await read(response, signal, () => answerError('POST', url, response));
  return readJson<TokenResponse>(response, signal);
}
