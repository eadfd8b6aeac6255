import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { refuseConnection } from './refuse-connection.ts';

/** Seconds that a body may fall behind the least speed, to allow for pauses of a bad connection; then it is refused. */
const BEHIND_SECONDS = 30;

interface Receiving {
  readonly answer: ServerResponse;
  /** Seconds that the sender may still be silent. */
  left: number;
  received: number;
}

/**
 * Ends requests whose body falls more than `behind` seconds behind the speed `bytesPerSecond`. Seconds in which the
 * platform does not read, because the consumer of the body is slow, are not counted. Time in which this process was
 * paused is not counted either. A body may be of any length. The head is bounded by `headersTimeout` of the server.
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

/** Returns whether the platform is waiting for the sender. */
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
