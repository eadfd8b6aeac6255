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

/** Longest time to connect, TLS included. */
export const CONNECT_MS = 10_000;
/** How long a caller may neither take nor send anything, while the gateway waits for nobody else. */
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

/** Unless it may have reached the target, that has certainly seen nothing of the call. */
export type Fail = (error: Error, mayHaveReached: boolean) => void;

/** How a call can end other than with the target's answer. */
export interface Ends {
  /** There is nothing of an answer yet. */
  readonly fail: Fail;
  /** The answer broke off. */
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
    // Gone while it was being admitted: nothing would tell of its end any more.
    if (this.#answer.destroyed) return;
    this.#span = this.#way.telemetry.tracing?.begin('on-premise call', 'CLIENT', traceOf(this.#request)) ?? null;
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
    // Nothing was asked to be upgraded: this is no answer.
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
