import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createConnections, Refused, type Resolve } from './connections.ts';
import { Forwarding, type Call, type Fail } from './forwarding.ts';
import { hasBody } from './headers.ts';
import { createDestinations, type TargetColumns } from './target.ts';
import { refused, tooLarge } from './upstream-problems.ts';

/** A call that was admitted, with its target as it is stored. */
type ForwardedCall = Omit<Call, 'target'> & { readonly target: TargetColumns };

export interface Forwarder {
  /** Forwards a request whose body has not been read. */
  forward(call: ForwardedCall, request: FastifyRequest, reply: FastifyReply, fail: Fail): void;
  close(): void;
}

/**
 * Forwards calls of on-premise services. Bodies stream both ways; neither side is read faster than the other takes it.
 */
export function createForwarder(platform: Platform, resolve?: Resolve): Forwarder {
  const { configuration, log, telemetry } = platform;
  const settings = configuration.onPremise;
  const destinationOf = createDestinations(platform);
  const connections = createConnections(settings, resolve);
  const way = { connections, bodyBytes: settings.bodyBytes, telemetry };
  return {
    forward(call, request, reply, done) {
      const fail: Fail = (error, mayHaveReached) => {
        // Closes the connection in place of reading the rest of the body: the end of the body may be what was wrong.
        if (hasBody(request.raw)) reply.header('connection', 'close');
        done(error, mayHaveReached);
      };
      try {
        requireForwardable(request.raw, settings.bodyBytes);
        const broken = (error: Error): void =>
          log.warn({ reqId: request.id, err: error }, 'the answer of an on-premise service broke off');
        const admitted = { ...call, target: destinationOf(call.target) };
        new Forwarding(way, admitted, request, reply, { fail, broken }).start();
      } catch (error) {
        fail(error instanceof Refused ? refused(request.id, error) : (error as Error), false);
      }
    },
    close: () => connections.close(),
  };
}

/**
 * Throws for requests that change the meaning of the connection, and for bodies whose end two readers could see
 * differently.
 */
function requireForwardable({ method, headers }: IncomingMessage, bodyBytes: number | null): void {
  if (method === 'TRACE' || method === 'CONNECT') {
    throw new Problem('method-not-allowed', `${method} is not forwarded.`);
  }
  if (headers.upgrade !== undefined) {
    throw new Problem('invalid-request', 'Upgrade is not forwarded: a service is called with plain HTTP requests.');
  }
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  // The parser refuses most of these; the gateway refuses the rest.
  if (coding !== undefined && (length !== undefined || coding.trim().toLowerCase() !== 'chunked')) {
    throw new Problem('invalid-request', 'Send a body with Content-Length, or with Transfer-Encoding: chunked.');
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new Problem('invalid-request', 'Content-Length must be one number.');
  }
  if (bodyBytes !== null && Number(length ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
}
