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
import { asDescribed } from './endpoint.ts';
import { readJson } from './json/index.ts';
import { Problem } from './problem.ts';
import { acceptBodies } from './read-body.ts';
import { refuseConnection } from './refuse-connection.ts';
import { isRestShort, readRestOfBodies } from './rest-of-body.ts';
import { endSlowBodies } from './slow-bodies.ts';
import { useSchemaCompilers } from './schema-compilers.ts';

export interface HttpOptions {
  readonly log: FastifyBaseLogger;
  /** Where the pages about problems are served. */
  readonly problemsUrl: string;
  /** What a browser gets instead of a problem document where no operation has refused; left out: nothing else. */
  readonly page?: (problem: Problem) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
  readonly title: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly securitySchemes: Record<string, object>;
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Bounds the connections; shared by all servers of the process. */
  readonly connections: ConnectionLimits;
  /** Bytes a second at which a body has to come at least; 0 is any speed. */
  readonly slowestBody: number;
  /** Bytes of request bodies that may be in memory at the same time. */
  readonly bodyMemoryBytes: number;
  /** Is asked about requests that no endpoint takes, before `refuse` is what happens to them. */
  readonly unrouted?: (
    request: FastifyRequest,
    reply: FastifyReply,
    refuse: () => void,
    fail: (error: Error) => void,
  ) => void;
  /** Measures the requests; null or left out where nobody wants to know. */
  readonly observer?: RequestObserver | null;
  /** Milliseconds after which a connection that takes nothing of its answer is closed; left out: 60,000. */
  readonly slowReaderMs?: number;
}

/** How long the head of a request may take, and a connection that has sent nothing. */
const HEAD_MS = 20_000;

/** A server that validates strictly, answers every failure with a problem document and describes itself in OpenAPI 3.1. */
export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const requestId = createRequestIds();
  const app: FastifyInstance = Fastify({
    // Its own logging costs listeners and a logger for each request (6 µs of 26); the few lines that are written here
    // name their request themselves.
    logger: false,
    // The head of a request; what comes after has no common limit of time, see `endSlowBodies`.
    http: { headersTimeout: HEAD_MS, connectionsCheckingInterval: HEAD_MS / 4 },
    bodyLimit: limits.jsonBodyBytes,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 1_024 },
    requestIdHeader: false,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: (request) => acceptedRequestId(request.headers['x-request-id']) ?? requestId(),
    // An idle keep-alive connection must not hold up a shutdown.
    forceCloseConnections: true,
    // No hook runs for these: the address cannot be read.
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
  // An expectation that nobody knows may be left unmet (RFC 9110 §10.1.1): the answer says what became of the request.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const unrouted = routeTable(app);
  observeRequests(app, options.observer ?? null);
  app.decorate('slowReaderMs', options.slowReaderMs ?? 60_000);
  useSchemaCompilers(app);
  app.decorate('bodyMemory', new BodyMemory(options.bodyMemoryBytes));
  app.decorate('connectionLimits', options.connections);
  options.connections.watch(app.server);
  endSlowBodies(app.server, options.slowestBody);
  readRestOfBodies(app.server);
  useJson(app);
  if (options.trustedProxies.length > 0) countRequestsOfProxies(app, options.connections);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    // Before the body is looked at: of a method or address that is not there, nothing else has to be right.
    if (!request.is404) done();
    else if (options.unrouted) options.unrouted(request, reply, () => done(unrouted(request)), done);
    else done(unrouted(request));
  });
  // Successful reads are frequent (polling), and a line for each would cost a third of the throughput: whoever wants
  // them asks for the level debug. Refused ones are logged where they are refused.
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
    const problem = toProblem(error);
    const reqId = request.id;
    if (problem.status >= 500) options.log.error({ reqId, err: error }, problem.message);
    // Without its text, which is for the caller and may quote what they have sent.
    else options.log.debug({ reqId, code: problem.code, cause: problem.cause }, 'refused');
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

/** What comes through a proxy shares its connections: its requests are bounded by the address that the proxy tells. */
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
 * Measures what is served beside the endpoints of a table, which see to it themselves: a hook that waits for the end of
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
 * The target of a request as a path and query. One in absolute form (RFC 9112 §3.2.2) names the host as well, and everybody
 * who reads addresses has to read the same.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Unique among all processes: random for this one, then counted. Every answer carries one, so it has to cost nothing. */
function createRequestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

function acceptedRequestId(header: string | string[] | undefined): string | null {
  // It is written to the log: what looks like a secret is no id.
  return typeof header === 'string' && /^(?!ket_|eyJ)[\w.:-]{8,128}$/.test(header) ? header : null;
}

/** JSON bodies: an empty one is no body; a broken one is refused with the place. */
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
  // The route, not the address: addresses may hold names and e-mail addresses.
  const { method, routeOptions } = request;
  const line = { reqId: request.id, method, route: routeOptions.url, status, ms: Math.round(milliseconds) };
  if (status >= 500) log.error(line, 'answered');
  else if (method === 'GET' && status < 400) log.debug(line, 'answered');
  else log.info(line, 'answered');
}

/** The parts of a request: as sentences name them, and before the pointers into them. */
const PARTS: Readonly<Record<string, readonly [name: string, prefix: string]>> = {
  body: ['The body', ''],
  querystring: ['The query', '/querystring'],
  params: ['The path', '/params'],
  headers: ['The header', '/headers'],
};

/** Whatever was thrown, as a problem of the catalogue; the unexpected keeps its details for the log. */
function toProblem(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) {
    const where = PARTS[error.validationContext ?? 'body'] ?? PARTS['body'] ?? ['', ''];
    const places = error.validation.map(validationErrorOf);
    const errors = places.map(({ pointer, detail }) => ({ pointer: where[1] + pointer, detail }));
    return new Problem('invalid-request', invalidSentence(places, where[0]), { errors });
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
    default:
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem('invalid-request', error.message);
  }
  return new Problem('internal-error', 'Something failed inside the platform.', { cause: error });
}

/** Remembers what is routed, to tell a wrong method from a wrong address. */
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
    // An address that has a route of its own is not one that a placeholder could stand for (OpenAPI 3.1 §4.8.8.2).
    const fewest = Math.min(...there.map(({ placeholders }) => placeholders));
    const own = there.filter(({ placeholders }) => placeholders === fewest);
    const allow = [...new Set(own.map(({ method }) => method))].join(', ');
    return new Problem('method-not-allowed', `${address} takes ${allow}.`, { headers: { allow } });
  };
}

/** The path without its query, which may hold personal data. */
function addressOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? '/';
}

/** Of an address that nobody has, as much as fits into a sentence. */
function shortened(address: string): string {
  return address.length > 200 ? `${address.slice(0, 200)}…` : address;
}

/** What is wrong with bytes that are no request. */
function statusOf(code: string | undefined): 400 | 408 | 431 {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** Whether a person in front of a browser asks, and not for an operation. */
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
  // Fastify closes the connection after each body that it did not take; that is only needed while much of it is to come.
  if (isRestShort(request.raw)) reply.removeHeader('connection');
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
