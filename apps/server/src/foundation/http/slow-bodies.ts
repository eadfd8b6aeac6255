import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { refuseConnection } from './refuse-connection.ts';

/** How far a body may be behind the slowest speed, in seconds: pauses of a bad connection. */
const BEHIND_SECONDS = 30;

interface Receiving {
  readonly answer: ServerResponse;
  /** Seconds that it may still be silent. */
  left: number;
  received: number;
}

/**
 * Ends requests whose body comes more slowly than `bytesPerSecond`, after half a minute in which it may. Seconds in which
 * the platform does not read, because whatever takes the body is behind, are not counted; neither is time in which this
 * process stood still. So a body may be of any length. Head and body have no common limit of time: `headersTimeout` of the
 * server bounds the head.
 */
export function endSlowBodies(server: Server, bytesPerSecond: number, behind: number = BEHIND_SECONDS): void {
  if (bytesPerSecond === 0) return;
  const receiving = new Map<IncomingMessage, Receiving>();
  const timer = setInterval(() => {
    for (const [request, one] of receiving) {
      if (request.complete || request.destroyed) receiving.delete(request);
      else if (isRead(request)) look(request, one, bytesPerSecond, behind);
    }
  }, 1_000);
  timer.unref();
  server.once('close', () => clearInterval(timer));
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (request.headers['transfer-encoding'] === undefined && !(Number(request.headers['content-length']) > 0)) return;
    receiving.set(request, { answer, left: behind, received: request.socket.bytesRead });
    answer.once('close', () => receiving.delete(request));
  });
}

/** Whether it is the sender who is waited for. */
function isRead(request: IncomingMessage): boolean {
  const isAsked = request.readableFlowing === true || request.listenerCount('readable') > 0;
  return isAsked && request.readableLength === 0;
}

function look({ socket }: IncomingMessage, one: Receiving, bytesPerSecond: number, behind: number): void {
  const came = socket.bytesRead - one.received;
  one.received = socket.bytesRead;
  one.left = Math.min(behind, one.left + came / bytesPerSecond) - 1;
  if (one.left > 0) return;
  if (one.answer.headersSent) socket.destroy();
  else refuseConnection(socket, 408);
}
