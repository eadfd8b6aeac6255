import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

const addresses = new WeakMap<IncomingMessage, string>();

/** Remembers from where a request comes, as the server judges it, for the handlers that see only the bare request. */
export function rememberClientAddress(request: FastifyRequest): void {
  addresses.set(request.raw, request.ip);
}

/** From where the request comes. */
export function clientAddressOf(request: IncomingMessage): string {
  return addresses.get(request) ?? request.socket.remoteAddress ?? 'unknown';
}
