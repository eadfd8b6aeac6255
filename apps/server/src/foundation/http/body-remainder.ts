import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a body that are read after the answer to keep the connection. If more is left, the connection is closed. */
const KEPT_BYTES = 1024 * 1024;
/** Seconds for which a closing connection is read from; then it is destroyed. */
const CLOSING_SECONDS = 30;
/** Seconds without a byte after which a closing connection is destroyed. */
const SILENT_SECONDS = 5;

/**
 * Reads and discards the remainder of a body when the answer was sent before its end. A client that is still sending when
 * the connection is destroyed sees an error and never the answer (RFC 9112 §9.6). A short remainder is read to its end,
 * and the connection stays open. A longer one is read only while the connection closes in both directions.
 */
export function readRemainders(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(request)) return;
    // Must run before Node's own listener, which destroys a connection that is not kept alive.
    answer.prependListener('finish', () => {
      // A connection that broke off meanwhile is not there any more, whatever its type says.
      const socket = request.socket as Socket | null;
      if (!request.complete && socket?.destroyed === false) readRemainder(request);
    });
  });
}

/** Returns whether so little is left of the body that the connection can stay open after the answer. */
export function isRemainderShort(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return true;
  const length = request.headers['content-length'];
  return length !== undefined && Number(length) <= KEPT_BYTES;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readRemainder(request: IncomingMessage): void {
  const { socket } = request;
  request.unpipe();
  request.removeAllListeners('data');
  request.resume();
  let isClosing = false;
  // Node calls this next, unless the connection is kept alive.
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

/** Keeps the connection if the remainder of the body arrives in time and within the limit, and else closes it. */
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

/** Half-closes the connection, and reads until the client closes its side. */
function close(request: IncomingMessage, socket: Socket): void {
  if (socket.destroyed) return;
  eachSecond(socket, (seconds, silent) => {
    if (silent >= SILENT_SECONDS || seconds >= CLOSING_SECONDS) socket.destroy();
  });
  const destroy = (): void => {
    socket.destroy();
  };
  socket.once('end', destroy);
  // The whole body has arrived, so that destroying the connection cannot cost the client the answer.
  request.once('end', () => socket.end(destroy));
  socket.end();
}

/**
 * Calls `look` each second with the seconds so far, and the number of last seconds in which no byte arrived. Seconds
 * are counted, not measured, so that a pause of this process is not held against the client.
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
    // A connection serves many requests and would collect one listener for each.
    socket.off('close', stop);
  };
  socket.once('close', stop);
  return stop;
}
