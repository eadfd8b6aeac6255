import { randomBytes } from 'node:crypto';
import swagger from '@fastify/swagger';
import { validationErrorOf, invalidSentence, limits, problems } from '@kethub/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { RequestObserver } from '../telemetry/index.ts';
import { BodyMemory } from './body-memory.ts';
import type { ConnectionLimits } from './connections.ts';
import { Drain } from './drain.ts';
import { asDescribed } from './endpoint.ts';
import { readJson } from '@kethub/service-api';
import { Problem } from '@kethub/service-api';
import { acceptBodies } from './read-body.ts';
import { refuseConnection } from './refuse-connection.ts';
import { isRemainderShort, readRemainders } from './body-remainder.ts';
import { endSlowBodies } from './slow-bodies.ts';
import { useSchemaCompilers } from './schema-compilers.ts';

interface HttpOptions {
  readonly log: FastifyBaseLogger;
  /** Address of the pages about problems. */
  readonly problemsUrl: string;
  /**
   * Renders a problem for a browser, unless an operation has refused the request. Default: always a problem document.
   */
  readonly page?: (problem: Problem) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
  readonly title: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly securitySchemes: Record<string, object>;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Bounds on connections, shared by all servers of the process. */
  readonly connections: ConnectionLimits;
  /** Least speed of a body in bytes a second; a slower one is answered with 408. 0 is no limit. */
  readonly slowestBody: number;
  /** Bytes of request bodies in memory at the same time; beyond that requests are answered with 429. */
  readonly bodyMemoryBytes: number;
  /** Handles requests that match no route, or calls `refuse`. */
  readonly unrouted?: (
    request: FastifyRequest,
    reply: FastifyReply,
    refuse: () => void,
    fail: (error: Error) => void,
  ) => void;
  /** Measures the requests; null or absent for none. */
  readonly observer?: RequestObserver | null;
  /** Milliseconds after which a connection is closed whose client reads nothing of its answer. Default: 60,000. */
  readonly slowReaderMs?: number;
}

/** Milliseconds for the head of a request, also of a connection that has sent nothing; then it is refused with 408. */
const HEAD_MS = 20_000;

/**
 * Creates a server that validates strictly, answers failures with problem documents, and has an OpenAPI 3.1 document.
 */
export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const requestId = createRequestIds();
  const app: FastifyInstance = Fastify({
    // Fastify's logging costs listeners and a logger for each request (6 µs of 26). The lines below carry the request
    // id.
    logger: false,
    // Bounds the head only. Bodies have no limit of time; `endSlowBodies` bounds their speed.
    http: { headersTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS / 4 },
    bodyLimit: limits.jsonBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 1_024 },
    requestIdHeader: false,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: (request) => acceptedRequestId(request.headers['x-request-id']) ?? requestId(),
    // An idle keep-alive connection must not hold up a shutdown.
    forceCloseConnections: true,
    // Fastify calls this for an address that it cannot parse, without running any hook.
    frameworkErrors: (_error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
      const problem = new Problem('not-found', `There is nothing at ${shortened(addressOf(request))}.`);
      void sendProblem(options, request, reply, problem);
    },
    clientErrorHandler(error, socket) {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      refuseConnection(socket, statusOf(error.code), requestId());
    },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
  });
  // An unknown expectation may be ignored (RFC 9110 §10.1.1), so the request is handled as usual.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const unrouted = routeTable(app);
  observeRequests(app, options.observer ?? null);
  app.decorate('drain', new Drain(app.server));
  app.decorate('slowReaderMs', options.slowReaderMs ?? 60_000);
  useSchemaCompilers(app);
  app.decorate('bodyMemory', new BodyMemory(options.bodyMemoryBytes));
  app.decorate('connectionLimits', options.connections);
  options.connections.watch(app.server);
  endSlowBodies(app.server, options.slowestBody);
  readRemainders(app.server);
  useJson(app);
  if (options.trustedProxies.length > 0) countRequestsOfProxies(app, options.connections);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    // An unknown address or method is refused before the body is read.
    if (!request.is404) done();
    else if (options.unrouted) options.unrouted(request, reply, () => done(unrouted(request)), done);
    else done(unrouted(request));
  });
  // Successful reads are frequent (polling), and a line for each would cost a third of the throughput. They are
  // logged at level debug only. `sendProblem` logs refused ones.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' && options.log.level !== 'debug') return;
    route.onResponse = [
      route.onResponse ?? [],
      (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        logResponse(options.log, request, reply.statusCode, reply.elapsedTime);
        done();
      },
    ].flat();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error, request.method);
    const reqId = request.id;
    if (problem.status >= 500) options.log.error({ reqId, err: error }, problem.message);
    // The detail is not logged: it may quote what the caller has sent.
    else
      options.log.debug({ reqId, code: problem.code, cause: problem.cause, ...unnamed(problem, request) }, 'refused');
    return sendProblem(options, request, reply, problem);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: options.title, description: options.description, version: '1.0.0' },
      servers: [{ url: options.serverUrl }],
      components: { securitySchemes: options.securitySchemes as never },
    },
    transform: ({ schema, url }) => ({ schema: asDescribed(schema ?? {}), url }),
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
  return app;
}

/**
 * Bounds the requests of each client address behind a trusted proxy, because all of them share the proxy's
 * connections.
 */
function countRequestsOfProxies(app: FastifyInstance, connections: ConnectionLimits): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!connections.isTooMany(request.raw, reply.raw, request.ip)) done();
    else
      done(
        new Problem('too-many-requests', 'Too many requests of this address are being answered. Try again soon.', {
          headers: { 'retry-after': '2' },
        }),
      );
  });
}

/**
 * Measures the routes that `mount` has not added. Mounted endpoints measure themselves, because a hook on the end of
 * each answer would cost status reads a fifth of their throughput.
 */
function observeRequests(app: FastifyInstance, observer: RequestObserver | null): void {
  app.decorateRequest('observation', null);
  app.decorate('observer', observer);
  if (!observer) return;
  app.addHook('onRoute', (route) => {
    if (route.config?.isEndpoint) return;
    const begin = observer.route([route.method].flat().join(), route.url);
    route.onRequest = [
      (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
        begin(request);
        done();
      },
      route.onRequest ?? [],
    ].flat();
    route.onResponse = [
      route.onResponse ?? [],
      (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        request.observation?.end(request, reply.statusCode);
        done();
      },
    ].flat();
  });
}

/**
 * The target of a request as path and query. The absolute form (RFC 9112 §3.2.2) also names the host, which is
 * removed so that every reader of `request.url` sees the same address.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (authority === undefined) return target;
  const path = target.slice(authority.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** Generates request ids that are unique among all processes: a random prefix of this process, and a counter. */
function createRequestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

function acceptedRequestId(header: string | string[] | undefined): string | null {
  // The id is logged, so a header that looks like a secret is not accepted.
  return typeof header === 'string' && /^(?!ket_|eyJ)[\w.:-]{8,128}$/.test(header) ? header : null;
}

/** Parses JSON bodies. An empty one counts as absent; a malformed one is refused with its position. */
function useJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain']);
  acceptBodies(app, {
    media: 'application/json',
    bytes: ({ routeOptions }) => routeOptions.config.jsonTextBytes ?? limits.jsonBodyBytes,
    parse: (bytes, { routeOptions: { config } }) =>
      config.jsonTextBytes === undefined ? readJson(bytes, config.parseJson) : bytes,
  });
}

function logResponse(log: FastifyBaseLogger, request: FastifyRequest, status: number, milliseconds: number): void {
  // The route is logged, not the address, which may contain names and e-mail addresses.
  const { method, routeOptions } = request;
  const line = { reqId: request.id, method, route: routeOptions.url, status, ms: Math.round(milliseconds) };
  if (status >= 500) log.error(line, 'answered');
  else if (method === 'GET' && status < 400) log.debug(line, 'answered');
  else log.info(line, 'answered');
}

/**
 * The endpoint, if its description does not name the problem. test/log-check fails the run then. A caller that has left
 * in the middle reads none.
 */
function unnamed({ status, code }: Problem, { routeOptions: { method, url, schema }, socket }: FastifyRequest): object {
  const described = schema?.response as Readonly<Record<number, { readonly description: string }>> | undefined;
  if (!described || socket.destroyed || described[status]?.description.includes(`\`${code}\``)) return {};
  return { unnamedBy: `${String(method)} ${url}` };
}

/** Parts of a request: their names in sentences, and the prefixes of pointers into them. */
const PARTS: Readonly<Record<string, readonly [name: string, prefix: string]>> = {
  body: ['The body', ''],
  querystring: ['The query', '/querystring'],
  params: ['The path', '/params'],
  headers: ['The header', '/headers'],
};

/**
 * Turns an error into a problem of the catalogue. An unexpected one becomes the cause of an internal-error, for the
 * log.
 */
function toProblem(error: FastifyError | Problem, method: string): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) {
    const where = PARTS[error.validationContext ?? 'body'] ?? PARTS['body'] ?? ['', ''];
    const invalid = error.validation.map(validationErrorOf);
    const errors = invalid.map(({ pointer, detail }) => ({ pointer: where[1] + pointer, detail }));
    return new Problem('invalid-request', invalidSentence(invalid, where[0]), { errors });
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too-large', error.message);
    case 'FST_REQ_FILE_TOO_LARGE':
      return new Problem('too-large', `A file may have at most ${limits.sourceArchiveBytes} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'unsupported-media-type',
        'Send the body as the interface description says, usually Content-Type: application/json.',
      );
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new Problem('unsupported-media-type', 'Send the body as multipart/form-data.');
    case 'STORE_AWAY':
      return storeAway(method, error);
    default:
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem('invalid-request', error.message);
  }
  return new Problem('internal-error', 'Something failed inside the platform.', { cause: error });
}

/** Uploads are stored before the database refers to them. So a request that fails there has changed nothing. */
function storeAway(method: string, cause: Error): Problem {
  const isRead = method === 'GET' || method === 'HEAD';
  const unchanged = isRead ? '' : ' Nothing was changed.';
  return new Problem('not-ready', `The store of files does not answer.${unchanged} Try again later.`, { cause });
}

/** Collects the routes, and returns a function that distinguishes a wrong method (405) from a wrong address (404). */
function routeTable(app: FastifyInstance): (request: FastifyRequest) => Problem {
  const routes: { method: string; placeholders: number; pattern: RegExp }[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = new RegExp(`^${route.url.replaceAll(/:[A-Za-z]+/g, '[^/]+').replaceAll('*', '.*')}/*$`);
    const placeholders = route.url.split(/[:*]/).length - 1;
    for (const method of [route.method].flat()) routes.push({ method, placeholders, pattern });
  });
  return (request) => {
    const address = addressOf(request);
    const there = routes.filter(({ pattern }) => pattern.test(address));
    if (there.length === 0) return new Problem('not-found', `There is nothing at ${shortened(address)}.`);
    // A route with fewer placeholders takes precedence (OpenAPI 3.1 §4.8.8.2).
    const fewest = Math.min(...there.map(({ placeholders }) => placeholders));
    const own = there.filter(({ placeholders }) => placeholders === fewest);
    const allow = [...new Set(own.map(({ method }) => method))].join(', ');
    return new Problem('method-not-allowed', `${address} takes ${allow}.`, { headers: { allow } });
  };
}

/** The path of a request without the query, which may contain personal data. */
function addressOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '/';
}

/** An address, cut off after 200 characters so that it fits into a sentence. */
function shortened(address: string): string {
  return address.length > 200 ? `${address.slice(0, 200)}…` : address;
}

/** The status for bytes that Node cannot parse as a request. */
function statusOf(code: string | undefined): 400 | 408 | 431 {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** Returns whether a browser asks for a page, not for an operation. */
function wantsPage({ method, headers, routeOptions }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const isOperation = routeOptions?.config?.isEndpoint ?? false;
  return !isOperation && (headers.accept?.includes('text/html') ?? false);
}

function sendProblem(
  options: HttpOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const { status } = problems[problem.code];
  options.observer?.refused(problem.code);
  request.observation?.end(request, status);
  if (request.method === 'GET' && options.log.level !== 'debug')
    logResponse(options.log, request, status, reply.elapsedTime);
  // Fastify closes the connection after every unread body. That is needed only if much of the body is still to come.
  if (isRemainderShort(request.raw)) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  if (options.page && wantsPage(request)) {
    const { html, headers } = options.page(problem);
    return reply.status(status).headers(problem.headers).headers(headers).serializer(String).send(html);
  }
  return reply
    .status(status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json')
    .serializer(JSON.stringify)
    .send(problem.document(options.problemsUrl, addressOf(request)));
}
