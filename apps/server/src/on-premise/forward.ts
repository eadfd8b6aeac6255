import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import { forwardedHeaders, traceOf, type OpenSpan, type Telemetry } from '../telemetry/index.ts';
import { createConnections, Refused, type Connections, type Resolve } from './connections.ts';
import { Deadline } from './deadline.ts';
import { hasBody, requestHeaders, responseHeaders } from './headers.ts';
import { targetPath } from './path.ts';
import { destinationOf, type Destination, type TargetColumns } from './target.ts';

/** Longest time to connect, TLS included. */
const CONNECT_MS = 10_000;
/** How long a caller may neither take nor send anything, while the gateway waits for nobody else. */
const CALLER_IDLE_MS = 120_000;
/** Methods that can be sent again when an idle connection turns out to be closed (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** A call that was admitted. */
export interface ForwardedCall {
  readonly target: TargetColumns;
  /** Public address of the service version, without a slash at its end. */
  readonly endpoint: string;
  readonly subscriptionId: string;
  readonly applicationId: string;
}

export interface Forwarder {
  /** Forwards a request whose body has not been read. `fail` is called when there is nothing of an answer yet. */
  forward(call: ForwardedCall, request: FastifyRequest, reply: FastifyReply, fail: (error: Error) => void): void;
  close(): void;
}

/** Forwards calls of on-premise services. Bodies stream both ways; neither side is read faster than the other takes it. */
export function createForwarder(platform: Platform, resolve?: Resolve): Forwarder {
  const { configuration, log, telemetry } = platform;
  const settings = configuration.onPremise;
  // Unsealed once for each time that a target is loaded.
  const destinations = new WeakMap<TargetColumns, Destination>();
  const known = (columns: TargetColumns): Destination => {
    const destination = destinations.get(columns) ?? destinationOf(platform, columns);
    destinations.set(columns, destination);
    return destination;
  };
  const connections = createConnections(settings, resolve);
  return {
    forward(call, request, reply, done) {
      const fail = (error: Error): void => {
        // What is left of a body is not worth waiting for, and its end may be what was wrong.
        if (hasBody(request.raw)) reply.header('connection', 'close');
        done(error);
      };
      try {
        requireForwardable(request.raw, settings.bodyBytes);
        const broken = (error: Error): void =>
          log.warn({ reqId: request.id, err: error }, 'the answer of an on-premise service broke off');
        new Forwarding(
          connections,
          { ...call, target: known(call.target) },
          request,
          reply,
          fail,
          broken,
          settings.bodyBytes,
          telemetry,
        ).start();
      } catch (error) {
        fail(error instanceof Refused ? refused(request.id, error) : (error as Error));
      }
    },
    close: () => connections.close(),
  };
}

/** Throws for what would change the meaning of the connection, and for a body whose end two readers could see differently. */
function requireForwardable({ method, headers }: IncomingMessage, bodyBytes: number | null): void {
  if (method === 'TRACE' || method === 'CONNECT') {
    throw new Problem('method-not-allowed', `${method} is not forwarded.`);
  }
  if (headers.upgrade !== undefined) {
    throw new Problem('invalid-request', 'Upgrade is not forwarded: a service is called with plain HTTP requests.');
  }
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  // The parser refuses most of this; whatever it lets through does not go on.
  if (coding !== undefined && (length !== undefined || coding.trim().toLowerCase() !== 'chunked')) {
    throw new Problem('invalid-request', 'A body is sent with Content-Length, or with Transfer-Encoding: chunked.');
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new Problem('invalid-request', 'Content-Length must be one number.');
  }
  if (bodyBytes !== null && Number(length ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
}

type Call = Omit<ForwardedCall, 'target'> & { readonly target: Destination };

/** One call, from the request to the end of its answer. */
class Forwarding {
  readonly #connections: Connections;
  readonly #call: Call;
  readonly #request: FastifyRequest;
  readonly #incoming: IncomingMessage;
  readonly #reply: FastifyReply;
  readonly #answer: ServerResponse;
  readonly #fail: (error: Error) => void;
  readonly #broken: (error: Error) => void;
  readonly #bodyBytes: number | null;
  readonly #telemetry: Telemetry;
  readonly #endpoint: URL;
  readonly #path: string;
  readonly #deadline = new Deadline(() => this.#passed());
  #outgoing: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #isConnected = false;
  #span: OpenSpan | null = null;
  #received = 0;
  #lastProgress = Date.now();
  #ended = false;

  constructor(
    connections: Connections,
    call: Call,
    request: FastifyRequest,
    reply: FastifyReply,
    fail: (error: Error) => void,
    broken: (error: Error) => void,
    bodyBytes: number | null,
    telemetry: Telemetry,
  ) {
    this.#connections = connections;
    this.#call = call;
    this.#request = request;
    this.#incoming = request.raw;
    this.#reply = reply;
    this.#answer = reply.raw;
    this.#fail = fail;
    this.#broken = broken;
    this.#bodyBytes = bodyBytes;
    this.#telemetry = telemetry;
    this.#endpoint = new URL(call.endpoint);
    this.#path = targetPath(call.target, request.raw.url ?? '/');
  }

  start(): void {
    // Gone while it was being admitted: nothing would tell of its end any more.
    if (this.#answer.destroyed) return;
    this.#span = this.#telemetry.tracing?.begin('on-premise call', 'CLIENT', traceOf(this.#request)) ?? null;
    try {
      this.#send(true);
    } catch (error) {
      this.#end(true);
      throw error;
    }
    // Also when the caller hangs up.
    this.#answer.once('close', () => this.#closed());
    if (!hasBody(this.#incoming)) return;
    this.#incoming.on('data', (chunk: Buffer) => this.#count(chunk));
  }

  #send(first: boolean): void {
    const { target, subscriptionId, applicationId } = this.#call;
    const correlation = forwardedHeaders(this.#request, this.#span);
    const facts = {
      correlation,
      clientAddress: this.#request.ip,
      endpoint: this.#endpoint,
      subscriptionId,
      applicationId,
    };
    const outgoing = this.#connections.request(target, {
      method: this.#incoming.method,
      path: this.#path,
      headers: requestHeaders(this.#incoming, target, facts),
    });
    this.#outgoing = outgoing;
    this.#deadline.set(Math.min(CONNECT_MS, target.timeoutMs));
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) this.#connected();
      else socket.once(target.secure ? 'secureConnect' : 'connect', () => this.#connected());
    });
    outgoing.once('response', (response) => this.#answered(response));
    // Nothing was asked to be upgraded: this is no answer.
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      this.#failed(new Error('The target switched protocols'));
    });
    outgoing.on('drain', () => this.#progress());
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#ended || this.#response?.complete) return;
      const idle = outgoing.reusedSocket && !this.#response && error.code === 'ECONNRESET';
      if (first && idle && !hasBody(this.#incoming) && IDEMPOTENT.has(this.#incoming.method ?? '')) this.#again();
      else this.#failed(error);
    });
    if (hasBody(this.#incoming)) this.#incoming.pipe(outgoing);
    else outgoing.end();
  }

  #again(): void {
    try {
      this.#send(false);
    } catch (error) {
      this.#failed(error as Error);
    }
  }

  #connected(): void {
    this.#isConnected = true;
    if (!this.#ended) this.#deadline.set(this.#call.target.timeoutMs);
  }

  #count(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#progress();
    if (this.#bodyBytes !== null && this.#received > this.#bodyBytes) this.#failed(tooLarge(this.#bodyBytes));
  }

  #answered(response: IncomingMessage): void {
    if (this.#ended) return;
    this.#response = response;
    this.#progress();
    const { target } = this.#call;
    const status = response.statusCode ?? 502;
    const headers = responseHeaders(response, target, this.#endpoint, this.#path);
    this.#reply.hijack();
    for (const [name, value] of Object.entries(this.#reply.getHeaders())) headers[name] ??= value;
    this.#answer.writeHead(status, headers);
    response.on('data', () => this.#progress());
    // A body that breaks off has to break the caller's connection: its end would look like the end of the answer.
    response.once('error', (error) => this.#failed(error));
    response.once('close', () => {
      if (!response.complete) this.#failed(new Error('The target closed the connection inside its answer'));
    });
    this.#answer.on('drain', () => this.#progress());
    response.pipe(this.#answer);
    // Usually the first bytes take the head along; an answer that comes slowly shows it at once.
    setImmediate(() => {
      if (!this.#answer.writableEnded && !this.#answer.destroyed && this.#answer.writableLength === 0) {
        this.#answer.flushHeaders();
      }
    });
  }

  #progress(): void {
    this.#lastProgress = Date.now();
    this.#deadline.progress();
  }

  /** Nothing has moved for a while. */
  #passed(): void {
    if (!this.#waitsForCaller()) return this.#failed(timedOut(this.#request.id, this.#call.target.timeoutMs));
    if (Date.now() - this.#lastProgress >= CALLER_IDLE_MS) return this.#failed(new Error('The caller has stalled'));
    this.#deadline.progress();
  }

  /** Whether it is the caller's turn: to take what has been answered, or to send the rest of the body. */
  #waitsForCaller(): boolean {
    if (this.#response) return this.#response.complete || this.#answer.writableNeedDrain;
    return (
      this.#isConnected &&
      hasBody(this.#incoming) &&
      !this.#incoming.complete &&
      this.#outgoing?.writableNeedDrain === false
    );
  }

  #failed(error: Error): void {
    if (this.#ended) return;
    this.#end(true);
    this.#outgoing?.destroy();
    if (this.#response) {
      this.#broken(error);
      this.#answer.destroy();
    } else {
      this.#incoming.resume();
      this.#fail(error instanceof Problem ? error : problemOf(this.#request.id, error, this.#isConnected));
    }
  }

  /** The answer has been sent, or the caller is gone. */
  #closed(): void {
    if (this.#ended) return;
    this.#end(!this.#answer.writableFinished);
    if (this.#outgoing && (!this.#answer.writableFinished || !this.#outgoing.writableFinished)) {
      this.#outgoing.destroy();
      this.#incoming.resume();
    }
  }

  #end(failed: boolean): void {
    this.#ended = true;
    const status = this.#response?.statusCode;
    const answered = status === undefined ? {} : { 'http.response.status_code': status };
    this.#span?.end({ ...answered, 'kethub.request_id': this.#request.id }, failed || (status ?? 0) >= 500);
    this.#deadline.clear();
    if (this.#outgoing) this.#incoming.unpipe(this.#outgoing);
  }
}

function problemOf(requestId: string, cause: Error, connected: boolean): Problem {
  if (cause instanceof Refused) return refused(requestId, cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') {
    return new Problem('upstream-timeout', `The provider's service could not be reached in time. ${at(requestId)}`, {
      cause,
    });
  }
  return connected
    ? new Problem(
        'upstream-failed',
        `The provider's service broke the connection or did not answer with HTTP. Whether it has worked on the request is not known. ${at(requestId)}`,
        { cause },
      )
    : new Problem('upstream-unreachable', `The provider's service cannot be reached. ${at(requestId)}`, { cause });
}

function refused(requestId: string, cause: Refused): Problem {
  const detail = `The provider's service runs where this installation does not connect to. ${at(requestId)}`;
  return new Problem('upstream-unreachable', detail, { cause });
}

function timedOut(requestId: string, ms: number): Problem {
  return new Problem(
    'upstream-timeout',
    `The provider's service did not answer within its time limit of ${ms / 1000} seconds. ${at(requestId)}`,
  );
}

function at(requestId: string): string {
  return `Its operator finds the call under ${requestId}.`;
}

function tooLarge(bytes: number): Problem {
  return new Problem('too-large', `A body may have at most ${bytes} bytes on its way to an on-premise service.`);
}
