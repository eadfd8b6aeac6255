import { spawn } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode, messageOf } from '../errors.ts';
import type { Limits } from '../types.ts';

/** Milliseconds for the headers of a request, and without a byte of a body. Beyond them the connection is closed. */
const HEADERS_MS = 30_000;
const SILENT_MS = 120_000;
/** Connections at the same time. Further pods wait and try again. */
const MOST_CONNECTIONS = 1_024;
/** Entries that a pod may send beyond its limit of files. The log names them. */
const MOST_ENTRIES_MORE = 10_000;
/** Factor over the limit of bytes that is taken, so that the verdict can name what was too much. */
const TOLERANCE = 4;

/** The transfers of one execution. */
export interface Transfer {
  readonly tokenHash: string;
  /** Folders that its pod fetches, by name: where from, and where to in the pod. */
  readonly parts: Readonly<Record<string, { readonly from: string; readonly to: string }>>;
  /** File with the input. */
  readonly input: string;
  readonly output: string;
  /** The folders for the data pools that it may change, by their index. */
  readonly pools: Readonly<Record<string, string>>;
  /** The file for what the Python side writes as its result. */
  readonly written: string;
  readonly limits: Limits;
  /** Returns true if this pod may run the program. It is recorded before. Only one pod ever may. */
  claim(pod: string): boolean;
  /** Called when the pod has brought everything. */
  done(): void;
}

interface Taken {
  bytes: number;
  entries: number;
}

export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Serves the pods of executions: they fetch their input here, and bring what the program left. */
export class Transfers {
  readonly #open = new Map<string, Transfer & { taken: Taken }>();
  readonly #server: http.Server;
  #listening: Promise<number> | null = null;

  constructor() {
    this.#server = http.createServer((request, answer) => void this.#answer(request, answer));
    this.#server.headersTimeout = HEADERS_MS;
    this.#server.requestTimeout = 0;
    this.#server.timeout = SILENT_MS;
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on all addresses. Calling it again changes nothing. Returns the port. @throws when the port is taken. */
  listen(port: number): Promise<number> {
    this.#listening ??= new Promise<number>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    }).catch((error: unknown) => {
      this.#listening = null;
      throw error;
    });
    return this.#listening;
  }

  open(executionId: string, transfer: Transfer): () => void {
    this.#open.set(executionId, { ...transfer, taken: { bytes: 0, entries: 0 } });
    return () => this.#open.delete(executionId);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
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

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<[number, string | object]> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (path.length > 2_000) return [414, 'The address is too long.'];
    const [, root, id = '', what = '', ...rest] = path.split('/').map(decoded);
    const transfer = this.#open.get(id);
    const token = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const right = timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(transfer?.tokenHash ?? hashOf('nobody')));
    if (root !== 'pods' || transfer === undefined || !right || token === '')
      return [404, 'There is no such execution here, or it has ended.'];
    const pod = request.headers['x-kethub-pod'];
    if (typeof pod !== 'string' || !/^[0-9a-f-]{36}$/.test(pod)) return [400, 'X-Kethub-Pod is missing.'];
    if (!transfer.claim(pod)) return [409, 'Another pod has this execution, or it was given up.'];
    const key = `${request.method} ${what}`;
    if (key === 'POST claim')
      return [200, Object.fromEntries(Object.entries(transfer.parts).map(([name, { to }]) => [name, to]))];
    if (key === 'GET input') {
      answer.writeHead(200, { 'content-length': statSync(transfer.input).size });
      await pipeline(createReadStream(transfer.input), answer);
      return [200, ''];
    }
    if (key === 'GET parts') {
      const part = transfer.parts[rest[0] ?? ''];
      if (part === undefined) return [404, 'There is no such part.'];
      await sendFolder(part.from, answer);
      return [200, ''];
    }
    if (key === 'POST done') {
      transfer.done();
      return [200, {}];
    }
    if (request.method !== 'PUT') return [404, 'There is nothing.'];
    if (what === 'written') return take(request, transfer.written, transfer, null);
    const folder = what === 'output' ? transfer.output : what === 'pools' ? transfer.pools[rest[0] ?? ''] : undefined;
    const name = nameOf(rest.at(-1) ?? '');
    if (folder === undefined || name === null) return [404, 'There is no such place.'];
    transfer.taken.entries += 1;
    if (transfer.taken.entries > transfer.limits.outputFiles * 2 + MOST_ENTRIES_MORE)
      return [413, 'These are too many files.'];
    const target = join(folder, name);
    if (query === 'kind=link' || query === 'kind=folder') {
      // An entry of the same kind stands for it, which the platform refuses in the usual words.
      rmSync(target, { recursive: true, force: true });
      if (query === 'kind=link') symlinkSync('/', target);
      else mkdirSync(target);
      return [200, {}];
    }
    return take(request, target, transfer, transfer.taken);
  }
}

/** Writes a body into a file of ours. A pod that was cut off sends it again. */
async function take(
  request: IncomingMessage,
  target: string,
  { limits }: Transfer,
  taken: Taken | null,
): Promise<[number, object | string]> {
  const most = taken === null ? limits.resultBytes + 1_000_000 : limits.outputBytes * TOLERANCE - taken.bytes;
  const announced = Number(request.headers['content-length']);
  if (!(announced <= most)) return [413, 'This is too much.'];
  if (existsSync(target)) rmSync(target, { recursive: true, force: true });
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await pipeline(request, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  if (bytes !== announced) return [503, 'The body was cut off.'];
  if (taken !== null) taken.bytes += bytes;
  return [200, {}];
}

/** Sends a folder as a tar archive. An archive that could not be made whole is cut off, so that nobody takes it for whole. */
async function sendFolder(folder: string, answer: ServerResponse): Promise<void> {
  const tar = spawn('tar', ['--create', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,a+rX', '--directory', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  const ended = new Promise<void>((resolve, reject) => {
    tar.once('error', reject);
    tar.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar of ${folder} ended with ${code}`))));
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
function nameOf(encoded: string): string | null {
  const bytes = Buffer.from(encoded, 'base64url');
  const name = bytes.toString('utf8');
  const isPlain = bytes.length > 0 && bytes.length <= 255 && !bytes.includes(0) && !bytes.includes(0x2f);
  return isPlain && name !== '.' && name !== '..' ? name : null;
}
