import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

const REASONS = {
  400: ['Bad Request', 'This is no request of HTTP/1.1.'],
  408: ['Request Timeout', 'The body came too slowly, so that the platform stopped to wait for it.'],
  431: ['Request Header Fields Too Large', 'The head of a request, its address included, may have 16 KiB.'],
  429: ['Too Many Requests', 'This address has too many open connections. Close some, or try again later.'],
  503: ['Service Unavailable', 'The platform has too many open connections. Try again later.'],
} as const;
/** Refused connections that may still read the refusal; one more is cut without it. */
const MOST_CLOSING = 200;
/** Milliseconds for reading the refusal; then the connection is cut. */
const CLOSING_MS = 1_000;

let closing = 0;

/** Answers a connection with a refusal, whatever it has sent, and closes it. */
export function refuseConnection(socket: Socket, status: keyof typeof REASONS, requestId: string = randomUUID()): void {
  if (closing >= MOST_CLOSING) {
    socket.destroy();
    return;
  }
  const [title, detail] = REASONS[status];
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  closing += 1;
  const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
  socket.once('close', () => {
    closing -= 1;
    clearTimeout(timer);
  });
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...(status === 400 || status === 408 || status === 431 ? [] : ['Retry-After: 5']),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
