import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';
import { forwardedHeaders, traceOf, type OpenSpan, type Telemetry } from '../../foundation/telemetry/index.ts';
import { wasIdle, type Connections } from './connections.ts';
import { Deadline } from './deadline.ts';
import { hasBody, requestHeaders, responseHeaders } from './headers.ts';
import { targetPath } from './path.ts';
import type { Destination } from './target.ts';
import { problemOf, timedOut, tooLarge } from './upstream-problems.ts';

/** Milliseconds to connect, TLS included. Beyond it the call fails with upstream-timeout. */
export const CONNECT_MS = 10_000;
/** Milliseconds in which a caller that the gateway waits for neither takes nor sends anything. Then the call ends. */
const CALLER_IDLE_MS = 120_000;
/** Methods that can be sent again when an idle connection turns out to be closed (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** A call that was admitted. */
export interface Call {
  readonly target: Destination;
  /** Public address of the service version, without a slash at its end. */
  readonly endpoint: string;
  readonly subscriptionId: string;
  readonly applicationId: string;
}

/** The parts that all forwarded calls share. */
export interface Way {
  readonly connections: Connections;
  /** Largest body, or null without limit. */
  readonly bodyBytes: number | null;
  readonly telemetry: Telemetry;
}

/**
 * Reports a failed call. `mayHaveReached` is false only if the target has certainly received no part of the request.
 */
export type Fail = (error: Error, mayHaveReached: boolean) => void;

/** Callbacks for calls that end without the whole answer of the target. */
export interface Ends {
  /** The call failed before any of the answer was sent. */
  readonly fail: Fail;
  /** The answer broke off after its head was sent. */
  readonly broken: (error: Error) => void;
}

/** One call, from the request to the end of its answer. */
export class Forwarding {
  readonly #way: Way;
  readonly #call: Call;
  readonly #request: FastifyRequest;
  readonly #incoming: IncomingMessage;
  readonly #reply: FastifyReply;
  readonly #answer: ServerResponse;
  readonly #ends: Ends;
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

  constructor(way: Way, call: Call, request: FastifyRequest, reply: FastifyReply, ends: Ends) {
    this.#way = way;
    this.#call = call;
    this.#request = request;
    this.#incoming = request.raw;
    this.#reply = reply;
    this.#answer = reply.raw;
    this.#ends = ends;
    this.#endpoint = new URL(call.endpoint);
    this.#path = targetPath(call.target, request.raw.url ?? '/');
  }

  start(): void {
    // The caller hung up during admission: `close` has been emitted already and would never end this call.
    if (this.#answer.destroyed) return;
    this.#span = this.#way.telemetry.tracing?.begin('on-premise call', 'CLIENT', traceOf(this.#request)) ?? null;
    try {
      this.#send(true);
    } catch (error) {
      this.#end(true);
      throw error;
    }
    // Emitted also when the caller hangs up.
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
    const outgoing = this.#way.connections.request(target, {
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
    // An upgrade is no answer: the gateway asked for none.
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      this.#failed(new Error('The target switched protocols'));
    });
    outgoing.on('drain', () => this.#progress());
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#ended || this.#response?.complete) return;
      const idle = !this.#response && wasIdle(outgoing, error);
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
    const { bodyBytes } = this.#way;
    if (bodyBytes !== null && this.#received > bodyBytes) this.#failed(tooLarge(bodyBytes));
  }

  #answered(response: IncomingMessage): void {
    if (this.#ended) return;
    this.#response = response;
    this.#progress();
    const { target } = this.#call;
    const status = response.statusCode ?? 502;
    const headers = responseHeaders(response, target, this.#endpoint, this.#path);
    this.#reply.hijack();
    // Only the gateway sets the headers of limits and retirement.
    Object.assign(headers, this.#reply.getHeaders());
    this.#answer.writeHead(status, headers);
    response.on('data', () => this.#progress());
    // An answer that breaks off breaks the caller's connection too: an orderly end would look like the end of the
    // answer.
    response.once('error', (error) => this.#failed(error));
    response.once('close', () => {
      if (!response.complete) this.#failed(new Error('The target closed the connection inside its answer'));
    });
    this.#answer.on('drain', () => this.#progress());
    response.pipe(this.#answer);
    // The head usually goes out with the first bytes of the body. When these come slowly, it is sent at once.
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

  /** Ends the call when the target or the caller has made no progress for too long. */
  #passed(): void {
    if (!this.#waitsForCaller()) return this.#failed(timedOut(this.#request.id, this.#call.target.timeoutMs));
    if (Date.now() - this.#lastProgress >= CALLER_IDLE_MS) return this.#failed(new Error('The caller has stalled'));
    this.#deadline.progress();
  }

  /** Returns whether the gateway waits for the caller: to take the answer, or to send the rest of the body. */
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
      this.#ends.broken(error);
      this.#answer.destroy();
    } else {
      this.#incoming.resume();
      this.#ends.fail(
        error instanceof Problem ? error : problemOf(this.#request.id, error, this.#isConnected),
        this.#isConnected,
      );
    }
  }

  /** Ends the call when the answer has been sent, or the caller has hung up. */
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
