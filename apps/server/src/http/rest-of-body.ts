import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is read of a body after the answer so that the connection can be used again, in bytes. */
const KEPT_BYTES = 1024 * 1024;
/** How long a connection that is closing is read from, and how long while nothing comes. */
const CLOSING_MS = 30_000;
const SILENT_MS = 5_000;

/**
 * Sees to bodies that are not wanted any more when the answer is sent. Who is still sending when a connection is destroyed
 * sees that it broke, and never the answer (RFC 9112, section 9.6). So the rest is read and thrown away: a short one to its
 * end, and the connection goes on; of a longer one only while the connection closes, half of it at a time.
 */
export function readRestOfBodies(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(request)) return;
    // Before Node's own listener, which destroys the connection if it is not to go on.
    answer.prependListener('finish', () => {
      if (!request.complete && !request.socket.destroyed) readRest(request, answer);
    });
  });
}

/** Whether so little is left of the body that the connection goes on after the answer. */
export function isRestShort(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return true;
  const length = request.headers['content-length'];
  return length !== undefined && Number(length) <= KEPT_BYTES;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readRest(request: IncomingMessage, answer: ServerResponse): void {
  const { socket } = request;
  request.unpipe();
  request.removeAllListeners('data');
  request.resume();
  if (answer.shouldKeepAlive) readOn(request, socket);
  // Called next, by Node.
  else socket.destroySoon = () => close(request, socket);
}

/** The connection goes on when the rest has come, if that is soon and short. */
function readOn(request: IncomingMessage, socket: Socket): void {
  const most = socket.bytesRead + KEPT_BYTES;
  const timer = setTimeout(() => close(request, socket), SILENT_MS);
  const count = (): void => {
    if (socket.bytesRead > most) close(request, socket);
  };
  request.on('data', count);
  const stop = (): void => {
    clearTimeout(timer);
    request.off('data', count);
  };
  request.once('end', stop).once('close', stop);
}

const closing = new WeakSet<Socket>();

/** Sends the end of what is sent, and reads until the other side has seen it. */
function close(request: IncomingMessage, socket: Socket): void {
  if (closing.has(socket) || socket.destroyed) return;
  closing.add(socket);
  const destroy = (): void => {
    socket.destroy();
  };
  const whole = setTimeout(destroy, CLOSING_MS);
  const silent = setTimeout(destroy, SILENT_MS);
  request.on('data', () => silent.refresh());
  socket.once('close', () => {
    clearTimeout(whole);
    clearTimeout(silent);
  });
  socket.once('end', destroy);
  // All of the body has come after all: nothing is left that could break the answer.
  request.once('end', () => socket.end(destroy));
  socket.end();
}
