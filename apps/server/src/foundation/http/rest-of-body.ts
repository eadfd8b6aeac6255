import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is read of a body after the answer so that the connection can be used again, in bytes. */
const KEPT_BYTES = 1024 * 1024;
/** How long a connection that is closing is read from, and how long while nothing comes, in seconds. */
const CLOSING_SECONDS = 30;
const SILENT_SECONDS = 5;

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
      if (!request.complete && !request.socket.destroyed) readRest(request);
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

function readRest(request: IncomingMessage): void {
  const { socket } = request;
  request.unpipe();
  request.removeAllListeners('data');
  request.resume();
  let isClosing = false;
  // Node calls this next, unless the connection goes on.
  socket.destroySoon = () => {
    isClosing = true;
    close(request, socket);
  };
  request.once('end', () => {
    if (!isClosing) Reflect.deleteProperty(socket, 'destroySoon');
  });
  process.nextTick(() => {
    if (!isClosing && !request.complete) readOn(request, socket);
  });
}

/** The connection goes on when the rest has come, if that is soon and short. */
function readOn(request: IncomingMessage, socket: Socket): void {
  const most = socket.bytesRead + KEPT_BYTES;
  const stop = eachSecond(socket, (seconds, silent) => {
    if (silent >= SILENT_SECONDS || seconds >= CLOSING_SECONDS || socket.bytesRead > most) {
      stop();
      close(request, socket);
    }
  });
  request.once('end', stop);
}

/** Sends the end of what is sent, and reads until the other side has seen it. */
function close(request: IncomingMessage, socket: Socket): void {
  if (socket.destroyed) return;
  eachSecond(socket, (seconds, silent) => {
    if (silent >= SILENT_SECONDS || seconds >= CLOSING_SECONDS) socket.destroy();
  });
  const destroy = (): void => {
    socket.destroy();
  };
  socket.once('end', destroy);
  // All of the body has come after all: nothing is left that could break the answer.
  request.once('end', () => socket.end(destroy));
  socket.end();
}

/**
 * Calls back every second of a connection with how many have passed, and in how many at last nothing came. Counted rather
 * than measured: when this process stood still, the other side is not to blame.
 */
function eachSecond(socket: Socket, look: (seconds: number, silent: number) => void): () => void {
  let [seconds, silent, before] = [0, 0, socket.bytesRead];
  const timer = setInterval(() => {
    seconds += 1;
    silent = socket.bytesRead === before ? silent + 1 : 0;
    before = socket.bytesRead;
    look(seconds, silent);
  }, 1_000);
  const stop = (): void => {
    clearInterval(timer);
    // The connection serves many requests and would collect a listener from each.
    socket.off('close', stop);
  };
  socket.once('close', stop);
  return stop;
}
