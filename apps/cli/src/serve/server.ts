import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Problem } from '@kethub/service-api';
import { usageFailure, type CliFailure } from '../failures.ts';
import { json, noStore, problemAnswer, readBody, refuseBytes, send, type LocalAnswer } from './answers.ts';
import type { OperationRequest, Operations } from './operations.ts';

export interface LocalServerOptions {
  readonly operations: Operations;
  /** Pages and documents besides the operations, by path. */
  readonly documents: Readonly<Record<string, (request: OperationRequest) => LocalAnswer | Promise<LocalAnswer>>>;
  readonly host: string;
  /** True if other machines and their host names may call. */
  readonly allowRemote: boolean;
  /** The origin that pages of other origins may call from; null for none. */
  readonly cors: string | null;
  readonly note: (line: string) => void;
}

const TOKEN_BYTES = 16 * 1024;
const VERSION = /^\d+\.\d+\.\d+$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
/** Ports after the usual one that are tried when it is taken. */
const MORE_PORTS = 20;

/** Serves the operations at `/` and below any service path, with the token endpoint of the gateway. */
export class LocalServer {
  readonly #options: LocalServerOptions;
  readonly #server: Server;
  #hasWarned = false;

  constructor(options: LocalServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
    this.#server.on('clientError', refuseBytes);
  }

  /**
   * Listens on the port, or when it is taken and may be another one, on the next that is free.
   * @returns the port.
   */
  async listen(port: number, strictly: boolean): Promise<number> {
    for (let at = port; ; at++) {
      try {
        this.#server.listen(at, this.#options.host);
        await once(this.#server, 'listening');
        return (this.#server.address() as AddressInfo).port;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        if (code === 'EADDRINUSE' && !strictly && at < port + MORE_PORTS) continue;
        throw this.#cannotListen(code, at) ?? error;
      }
    }
  }

  /** The failure for an address that cannot be listened at; null for any other error. */
  #cannotListen(code: string, port: number): CliFailure | null {
    const { host } = this.#options;
    const free = 'ket serve    (without --port: 8081, or the next that is free)';
    if (code === 'EADDRINUSE') return usageFailure(`Port ${port} of ${host} is taken by another program.`, free);
    if (code === 'EACCES') return usageFailure(`Port ${port} of ${host} may not be used by you (permissions).`, free);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return usageFailure(`${host} is no address of this machine.`, 'ket serve    (without --host: 127.0.0.1)');
    return null;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = `http://${request.headers.host ?? this.#options.host}`;
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    try {
      this.#requireOwn(request);
      const cors = this.#cors(request);
      if (request.method === 'OPTIONS' && cors !== null) return send(request, response, { status: 204, headers: cors });
      const answer = await this.#answer(request, base, path);
      send(request, response, cors === null ? answer : { ...answer, headers: { ...answer.headers, ...cors } });
    } catch (error) {
      if (!(error instanceof Problem)) this.#options.note(String(error instanceof Error ? error.stack : error));
      request.resume();
      send(request, response, problemAnswer(error, base, path));
    }
  }

  /**
   * Refuses what a page of another site could make a browser send: a host name that leads here (DNS rebinding), and
   * requests from its origin.
   */
  #requireOwn({ headers }: IncomingMessage): void {
    const { allowRemote, cors } = this.#options;
    if (!allowRemote && !LOOPBACK.test(headers.host ?? ''))
      throw new Problem('not-permitted', 'The header Host must name this machine: localhost or 127.0.0.1.');
    const { origin } = headers;
    if (origin === undefined || origin === cors || cors === '*') return;
    if (origin.toLowerCase() !== `http://${headers.host ?? ''}`.toLowerCase())
      throw new Problem('not-permitted', 'Pages of other origins may not call this server. --cors <origin> lets one.');
  }

  #cors({ headers }: IncomingMessage): Record<string, string> | null {
    if (this.#options.cors === null || headers.origin === undefined) return null;
    return {
      'access-control-allow-origin': headers.origin,
      'access-control-allow-methods': 'GET, POST, PUT, OPTIONS',
      'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
      'access-control-expose-headers': 'location, link, etag, preference-applied',
      vary: 'origin',
    };
  }

  async #answer(request: IncomingMessage, base: string, path: string): Promise<LocalAnswer> {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    const words = path.split('/').filter((word) => word !== '');
    const isPrefixed = VERSION.test(words[2] ?? '') && !isOperation(words);
    const service = isPrefixed ? words.slice(0, 3) : [];
    const asked = { request, address: [base, ...service].join('/'), query };
    const segments = words.slice(service.length).map(decoded);
    const [first, second, third] = segments;
    if (!isPrefixed && segments.length === 1 && first === 'token') return this.#token(method, request);
    const document = segments.length <= 1 ? this.#options.documents[first ?? ''] : undefined;
    const wantsPage = first !== undefined || (request.headers.accept ?? '').includes('text/html');
    if (document !== undefined && wantsPage && method === 'GET') return document(asked);
    const { operations } = this.#options;
    const table: Readonly<Record<string, () => LocalAnswer | Promise<LocalAnswer>>> | null =
      first === undefined
        ? { GET: () => operations.list(asked), POST: () => operations.start(asked) }
        : second === undefined
          ? { GET: () => operations.status(asked, first) }
          : segments.length === 2 && second === 'result'
            ? { GET: () => operations.result(asked, first) }
            : segments.length === 2 && second === 'log'
              ? { GET: () => operations.log(asked, first) }
              : segments.length === 2 && second === 'cancel'
                ? { PUT: () => operations.cancel(first) }
                : segments.length === 3 && second === 'result' && third !== undefined
                  ? { GET: () => operations.resultFile(asked, first, third) }
                  : null;
    if (table === null) throw new Problem('not-found', `There is nothing at ${path}.`);
    const handle = table[method];
    if (handle) return handle();
    const allow = Object.keys(table).join(', ');
    throw new Problem('method-not-allowed', `${path} takes ${allow}.`, { headers: { allow } });
  }

  /** Answers any key pair: an unchanged client needs another host only. */
  async #token(method: string, request: IncomingMessage): Promise<LocalAnswer> {
    if (method !== 'POST')
      throw new Problem('method-not-allowed', '/token takes POST.', { headers: { allow: 'POST' } });
    const form = new URLSearchParams((await readBody(request, TOKEN_BYTES)).toString('utf8'));
    const failure = (status: number, error: string, error_description: string): LocalAnswer => ({
      status,
      headers: { ...json, ...noStore },
      body: { error, error_description },
    });
    if (form.getAll('grant_type').length !== 1)
      return failure(400, 'invalid_request', 'grant_type must be given once.');
    if (form.get('grant_type') !== 'client_credentials')
      return failure(400, 'unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
    if (!/^Basic +\S/i.test(request.headers.authorization ?? ''))
      return failure(401, 'invalid_client', 'Authenticate with the access key pair (HTTP Basic).');
    if (!this.#hasWarned)
      this.#options.note(
        'POST /token: a token was given without looking at the key pair. Bearers are not checked here.',
      );
    this.#hasWarned = true;
    const body = { access_token: 'local', scope: 'default', token_type: 'Bearer', expires_in: 3600 };
    return { status: 200, headers: { ...json, ...noStore }, body };
  }
}

/** Returns whether the words are an operation at the root, whose result file has a name like a version. */
function isOperation([first = '', second = '']: readonly string[]): boolean {
  return UUID.test(first) && second === 'result';
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new Problem('not-found', 'The address holds a broken percent encoding.');
  }
}
