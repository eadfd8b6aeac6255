import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable, type Duplex } from 'node:stream';
import { limits } from '@kethub/contract';
import { Problem } from '@kethub/service-api';

/** An answer. Text is sent as it is, any other value as JSON. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const json = { 'content-type': 'application/json; charset=utf-8' };
export const noStore = { 'cache-control': 'no-store' };

/** Sends an answer. A stream ends with the connection of its reader. */
export function send(request: IncomingMessage, response: ServerResponse, answer: LocalAnswer): void {
  const { status, headers = {}, body } = answer;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const type = body === undefined || isText || body instanceof Readable || 'content-type' in headers ? {} : json;
  response.writeHead(status, { 'x-content-type-options': 'nosniff', ...type, ...headers });
  if (body instanceof Readable) {
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
    } else pipeline(body, response, () => undefined);
  } else if (body === undefined || request.method === 'HEAD') response.end();
  else response.end(isText ? body : JSON.stringify(body));
}

/** The answer for a failure. Anything but a Problem is a defect, and its message is shown: this is a tool of its user. */
export function problemAnswer(error: unknown, base: string, instance: string): LocalAnswer {
  const problem =
    error instanceof Problem
      ? error
      : new Problem('internal-error', error instanceof Error ? (error.stack ?? error.message) : String(error));
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...noStore, ...problem.headers },
    body: JSON.stringify(problem.document(`${base}/problems`, instance)),
  };
}

/** Answers bytes that Node cannot parse as a request with the problem that the gateway has for them. */
export function refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, title, detail] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'The head of a request, its address included, may have 16 KiB.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'The request came too slowly, so that the server stopped to wait for it.']
        : [400, 'Bad Request', 'This is no request of HTTP/1.1.'];
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end([...head, '', body].join('\r\n'));
}

/** Reads the body of a start. Throws unsupported-media-type, too-large. */
export async function readJsonBody(request: IncomingMessage): Promise<Buffer> {
  const media = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (media !== 'application/json')
    throw new Problem('unsupported-media-type', 'Send the input as a JSON object with Content-Type: application/json.');
  return readBody(request, limits.executionInputBytes);
}

/** Reads a body of at most this many bytes. Throws too-large, after which the rest is read and dropped. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= most) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > most) throw new Problem('too-large', `The body has ${bytes} bytes; at most ${most} are accepted.`);
  return Buffer.concat(chunks);
}
