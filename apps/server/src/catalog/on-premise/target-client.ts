import type { ClientRequest, IncomingMessage } from 'node:http';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createConnections, Refused, wasIdle, type Connections } from './connections.ts';
import { CONNECT_MS } from './forwarding.ts';
import { createDestinations, type Destination, type TargetColumns } from './target.ts';
import { problemOf, refused, timedOut } from './upstream-problems.ts';

export interface TargetCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below the service's own address, with a slash at its beginning; empty for the address itself. */
  readonly path: string;
  /** X-Request-Id, by which the provider finds the call. */
  readonly requestId: string;
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface TargetAnswer {
  readonly status: number;
  /** Without a byte order mark. */
  readonly text: string;
}

/**
 * REFUSED: the installation does not connect to the target. NOT_REACHED: the target has received nothing of the call.
 * BROKEN: the connection was closed, or the answer was not HTTP. LATE: there was no answer in time. TOO_LARGE: the
 * answer was larger than `mostBytes`.
 */
type Failure = 'REFUSED' | 'NOT_REACHED' | 'BROKEN' | 'LATE' | 'TOO_LARGE';

/** A call without an answer, with the problem that the gateway would answer. */
export class Unanswered extends Problem {
  readonly failure: Failure;

  constructor(failure: Failure, { code, message, cause }: Problem) {
    super(code, message, { cause });
    this.failure = failure;
  }
}

/**
 * Calls on-premise services for the platform itself: for tasks of workflows, where no caller's request is forwarded.
 */
export interface TargetClient {
  /** Calls the target. Throws Unanswered, also for an answer of more than `mostBytes`. */
  call(target: TargetColumns, call: TargetCall, mostBytes: number): Promise<TargetAnswer>;
  close(): void;
}

export function createTargetClient(platform: Platform): TargetClient {
  const connections = createConnections(platform.configuration.onPremise);
  const destinationOf = createDestinations(platform);
  return {
    async call(columns, call, mostBytes) {
      const target = destinationOf(columns);
      const first = new Exchange(connections, target, call, mostBytes);
      try {
        return await first.answer();
      } catch (error) {
        // The target closed an idle connection under an idempotent call, which is made again (RFC 9110 §9.2.2).
        if (call.method === 'POST' || !first.wasIdle(error)) throw first.faultOf(error);
      }
      const second = new Exchange(connections, target, call, mostBytes);
      return second.answer().catch((error: unknown) => {
        throw second.faultOf(error);
      });
    },
    close: () => connections.close(),
  };
}

/** A request and its answer. */
class Exchange {
  readonly #connections: Connections;
  readonly #target: Destination;
  readonly #call: TargetCall;
  readonly #mostBytes: number;
  readonly #deadline = new AbortController();
  #request: ClientRequest | null = null;
  #isConnected = false;
  #hasAnswered = false;

  constructor(connections: Connections, target: Destination, call: TargetCall, mostBytes: number) {
    this.#connections = connections;
    this.#target = target;
    this.#call = call;
    this.#mostBytes = mostBytes;
  }

  async answer(): Promise<TargetAnswer> {
    const { timeoutMs } = this.#target;
    const late = (): void => this.#deadline.abort();
    let timer = setTimeout(late, Math.min(CONNECT_MS, timeoutMs));
    try {
      const request = this.#send();
      this.#request = request;
      const response = Promise.withResolvers<IncomingMessage>();
      request.once('response', response.resolve);
      // An upgrade is no answer: the request asked for none.
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        response.reject(new Error('The target switched protocols'));
      });
      request.on('error', response.reject);
      request.once('socket', (socket) => {
        const connected = (): void => {
          this.#isConnected = true;
          clearTimeout(timer);
          timer = setTimeout(late, timeoutMs);
        };
        if (!socket.connecting) connected();
        else socket.once(this.#target.secure ? 'secureConnect' : 'connect', connected);
      });
      request.end(this.#call.body);
      const incoming = await response.promise;
      this.#hasAnswered = true;
      return { status: incoming.statusCode ?? 502, text: await readAll(incoming, this.#mostBytes) };
    } finally {
      clearTimeout(timer);
    }
  }

  #send(): ClientRequest {
    const { method, path, requestId, body, headers } = this.#call;
    const { host, authorization, rootPath, basePath } = this.#target;
    return this.#connections.request(this.#target, {
      method,
      path: path === '' ? rootPath : basePath + path,
      signal: this.#deadline.signal,
      headers: {
        host,
        accept: 'application/json',
        'x-request-id': requestId,
        ...(authorization !== null && { authorization }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    });
  }

  wasIdle(error: unknown): boolean {
    return !this.#hasAnswered && this.#request !== null && wasIdle(this.#request, error);
  }

  faultOf(error: unknown): Unanswered {
    const { requestId } = this.#call;
    const cause = error instanceof Error ? error : new Error('The call has failed', { cause: error });
    if (cause instanceof TooLarge) return new Unanswered('TOO_LARGE', new Problem('too-large', cause.message));
    if (cause instanceof Refused) return new Unanswered('REFUSED', refused(requestId, cause));
    const isLate = this.#deadline.signal.aborted;
    if (this.#isConnected && isLate) return new Unanswered('LATE', timedOut(requestId, this.#target.timeoutMs));
    const late = Object.assign(new Error('No connection in time', { cause }), { code: 'ETIMEDOUT' });
    const problem = problemOf(requestId, isLate ? late : cause, this.#isConnected);
    return new Unanswered(this.#isConnected ? 'BROKEN' : 'NOT_REACHED', problem);
  }
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

async function readAll(response: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      response.destroy();
      throw new TooLarge(`The provider's service answered with more than ${mostBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
