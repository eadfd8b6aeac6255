import { spawn } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { errorCode, messageOf } from '../errors.ts';
import { credentialsOf, type TransferTls } from './tls.ts';

/** Milliseconds for the headers of a request, and without a byte of a body. Beyond them the connection is closed. */
const HEADERS_MS = 30_000;
const SILENT_MS = 120_000;
/** Connections at the same time. Further pods wait and try again. */
const MOST_CONNECTIONS = 1_024;
/** Connections of one address that have shown no token. Programs in pods have none, and may take no place of others. */
const MOST_UNKNOWN = 64;
/** Milliseconds between two looks whether the certificate was renewed. */
const RENEWAL_MS = 60_000;
const GONE = 'The folder is gone. An administrator may have purged it. Start the execution again.';
/** The status of an answer, and its body. */
export type Reply = [number, string | object];

/** The transfers of one execution. */
export interface Transfer {
  readonly tokenHash: string;
  /** Folders that the other side fetches, by name: where from, and where to in a pod. */
  readonly parts: Readonly<Record<string, { readonly from: string; readonly to: string }>>;
  /** File with the input; null while there is none. */
  readonly input: string | null;
  /** Returns true if this pod or batch job may run the program. It is recorded before. Only one ever may. */
  claim(by: string): boolean;
  /** Takes what the other side brings: `what` and `segments` are the parts of the address. */
  receive(what: string, segments: readonly string[], query: string, request: IncomingMessage): Promise<Reply>;
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Serves pods and batch jobs: they fetch the input of an execution here, and bring what its program left. */
export class Transfers {
  readonly #open = new Map<string, Transfer>();
  /** Ports of connections that have shown no token, by address. */
  readonly #unknown = new Map<string, Set<number>>();
  #server: http.Server | null = null;
  /** Set while there may be executions that are not open yet. */
  isTakingOver = false;
  #listening: Promise<number> | null = null;

  /** Listens on all addresses. Calling it again changes nothing. Returns the port. @throws when the port is taken. */
  listen(port: number, tls: TransferTls | null): Promise<number> {
    this.#listening ??= this.#listen(port, tls).catch((error: unknown) => {
      this.#listening = null;
      throw error;
    });
    return this.#listening;
  }

  open(executionId: string, transfer: Transfer): () => void {
    this.#open.set(executionId, transfer);
    return () => this.#open.delete(executionId);
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #listen(port: number, tls: TransferTls | null): Promise<number> {
    const answer = (request: IncomingMessage, to: ServerResponse): void => void this.#answer(request, to);
    const server = tls === null ? http.createServer(answer) : serverWith(tls, answer);
    server.headersTimeout = HEADERS_MS;
    server.requestTimeout = 0;
    server.timeout = SILENT_MS;
    server.maxConnections = MOST_CONNECTIONS;
    server.on('connection', (socket) => this.#admit(socket));
    server.on('clientError', (_error, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, resolve);
    });
    this.#server = server;
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  #admit(socket: Socket): void {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const ports = this.#unknown.get(remoteAddress) ?? new Set();
    if (ports.size >= MOST_UNKNOWN) {
      socket.destroy();
      return;
    }
    this.#unknown.set(remoteAddress, ports.add(remotePort));
    socket.once('close', () => this.#know(remoteAddress, remotePort));
  }

  /** Counts a connection no more: it has shown a token, or is closed. */
  #know(address = '', port = 0): void {
    const ports = this.#unknown.get(address);
    ports?.delete(port);
    if (ports?.size === 0) this.#unknown.delete(address);
  }

  async #answer(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const [status, body] = await this.#serve(request, answer);
      if (answer.headersSent) return;
      request.resume();
      answer.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
      answer.end(typeof body === 'string' ? body : JSON.stringify(body));
    } catch (error) {
      if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE')
        console.error(`a transfer with a pod failed: ${messageOf(error)}`);
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(503).end('The platform could not do this at the moment.');
    }
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<Reply> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (path.length > 2_000) return [414, 'The address is too long.'];
    const [, root, id = '', what = '', ...segments] = path.split('/').map(decoded);
    const transfer = this.#open.get(id);
    const token = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const right = timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(transfer?.tokenHash ?? hashOf('nobody')));
    if (root !== 'pods' || transfer === undefined || !right || token === '')
      return this.isTakingOver
        ? [503, 'The platform has not taken over all executions yet.']
        : [404, 'There is no such execution here, or it has ended.'];
    this.#know(request.socket.remoteAddress, request.socket.remotePort);
    const pod = request.headers['x-kethub-pod'];
    if (typeof pod !== 'string' || !/^[0-9a-f-]{36}$/.test(pod)) return [400, 'X-Kethub-Pod is missing.'];
    if (!transfer.claim(pod)) return [409, 'Another pod or job has this execution, or it was given up.'];
    const key = `${request.method} ${what}`;
    if (key === 'POST claim')
      return [200, Object.fromEntries(Object.entries(transfer.parts).map(([name, { to }]) => [name, to]))];
    if (key === 'GET input' && transfer.input !== null) {
      answer.writeHead(200, { 'content-length': statSync(transfer.input).size });
      await pipeline(createReadStream(transfer.input), answer);
      return [200, ''];
    }
    if (key === 'GET parts') {
      const part = transfer.parts[segments[0] ?? ''];
      if (part === undefined || !existsSync(part.from)) return [404, GONE];
      await sendFolder(part.from, answer);
      return [200, ''];
    }
    return transfer.receive(what, segments, query, request);
  }
}

/** Writes a body into a file of ours. Whoever was cut off sends it again. */
export async function takeFile(request: IncomingMessage, target: string, mostBytes: number): Promise<Reply> {
  const announced = Number(request.headers['content-length']);
  if (!(announced <= mostBytes)) return [413, 'This is too much.'];
  if (existsSync(target)) rmSync(target, { recursive: true, force: true });
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await pipeline(request, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  return bytes === announced ? [200, {}] : [503, 'The body was cut off.'];
}

/** Makes a server that reads certificate and key again when they have changed. */
function serverWith(tls: TransferTls, answer: http.RequestListener): https.Server {
  const credentials = credentialsOf(tls);
  const server = https.createServer(credentials, answer);
  let before = JSON.stringify(credentials);
  const timer = setInterval(() => {
    try {
      const now = credentialsOf(tls);
      if (JSON.stringify(now) === before) return;
      server.setSecureContext(now);
      before = JSON.stringify(now);
    } catch (error) {
      console.error(`the certificate for transfers could not be renewed: ${messageOf(error)}`);
    }
  }, RENEWAL_MS).unref();
  return server.once('close', () => clearInterval(timer));
}

/**
 * Sends a folder as a tar archive. An archive that could not be made whole is cut off, so that nobody takes it for whole.
 * Our folders do not change while somebody reads them. A build that uses a layer sets its time all the same, and another
 * execution that links a file sets that of the file. tar takes both for changes.
 */
async function sendFolder(folder: string, answer: ServerResponse): Promise<void> {
  const tar = spawn('tar', ['--create', '--warning=no-file-changed', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,a+rX', '--directory', folder, '.'], { stdio: ['ignore', 'pipe', 'pipe'] }); // prettier-ignore
  let said = '';
  tar.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-1_000)));
  const ended = new Promise<void>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) => {
      // It ends with 1 after both, and says nothing. Of a file that is lost it says so.
      if (code === 0 || (code === 1 && said === '')) resolve();
      else reject(new Error(`tar of ${folder} ended with ${code}: ${said}`));
    });
  });
  answer.writeHead(200, { 'content-type': 'application/x-tar' });
  try {
    await Promise.all([pipeline(tar.stdout, answer, { end: false }), ended]);
    answer.end();
  } finally {
    tar.kill();
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/** The name of a file; null for one that would be no name. Bytes that are no text become replacement characters. */
export function nameOf(encoded: string): string | null {
  const bytes = Buffer.from(encoded, 'base64url');
  return isName(bytes) ? bytes.toString('utf8') : null;
}

/** Returns true for bytes that can be the name of a file in a folder. */
export function isName(bytes: Buffer): boolean {
  const isPlain = bytes.length > 0 && bytes.length <= 255 && !bytes.includes(0) && !bytes.includes(0x2f);
  return isPlain && !['.', '..'].includes(bytes.toString('utf8'));
}
