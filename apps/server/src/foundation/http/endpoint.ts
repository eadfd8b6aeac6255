import { Readable } from 'node:stream';
import { problems, ProblemDetails, type ProblemCode } from '@kethub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Type, type Static, type TSchema } from 'typebox';
import type { RequestObserver } from '../telemetry/index.ts';
import { byReference } from './components.ts';
import type { ConnectionLimits } from './connections.ts';
import { judgeRequest, leaveBodiesUnread, takesNoBody } from './judge-request.ts';
import type { ParseJson } from './json/index.ts';
import { countBody, limitedAdmission, type Limits } from './limited-admission.ts';
import type { Lookup } from './rate-limits.ts';
import { requestHeaders, sentHeaders } from './request-headers.ts';
import { responseHeaders, type ResponseHeader } from './response-headers.ts';
import { closeWhenStalled } from './slow-readers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where a JSON body is handed over as it came: how many bytes it may have. */
    jsonTextBytes?: number;
    /** Reads a JSON body where `JSON.parse` would round its numbers. */
    parseJson?: ParseJson;
    /** Whether it is an endpoint of a table, which measures its requests itself. */
    isEndpoint?: boolean;
  }
  interface FastifyInstance {
    readonly observer: RequestObserver | null;
    readonly connectionLimits: ConnectionLimits;
    /** Milliseconds after which a connection that takes nothing of its answer is closed. */
    readonly slowReaderMs: number;
  }
}

/** What an endpoint answers: a status, headers, and a body that fits the declared schema (or a stream for media). */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is a stream of one of these media types. */
export interface Media {
  readonly media: readonly string[];
  /** Schema of the body as `application/json`, for the description. */
  readonly json?: TSchema;
}

export interface Call<P, Q, B, C> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: C;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface EndpointDeclaration<P extends TSchema, Q extends TSchema, B extends TSchema, A extends string, C> {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Unique name in the interface description. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Who may call; decided before anything of the body is looked at. */
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** A request body that the operation reads and judges itself, by media type: it is described and not validated. */
  readonly consumes?: Readonly<Record<string, TSchema>>;
  /** Of a JSON body that `consumes` names: it stays the bytes it came as, at most so many. */
  readonly jsonTextBytes?: number;
  /** Reads a JSON body; absent: `JSON.parse`, which rounds numbers to doubles. */
  readonly parseJson?: ParseJson;
  /** Per success status: the schema, or null for no body, or media types for a stream. */
  readonly answers: Readonly<Record<number, TSchema | null | Media>>;
  /** Headers that its successes carry. */
  readonly sends?: readonly ResponseHeader[];
  readonly problems: readonly ProblemCode[];
  /** Whether it honours `Prefer: wait=N`. */
  readonly waits?: boolean;
  /** Set where people are looked up: such calls are limited. */
  readonly lookup?: Lookup<Static<B>>;
  readonly links?: Readonly<Record<string, object>>;
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>, C>) => Promise<Answer> | Answer;
}

/** One endpoint with its types erased, as the table of a domain holds it. */
export interface Endpoint<A extends string, C> extends Omit<
  EndpointDeclaration<TSchema, TSchema, TSchema, A, C>,
  'handle' | 'lookup'
> {
  readonly lookup?: Lookup<never>;
  readonly handle: (call: Call<never, never, never, C>) => Promise<Answer> | Answer;
}

const CALLER = 'caller';
/** Longest text that fits into the buffers of a connection, in characters. */
const LARGE = 64 * 1024;

/** Problems that any endpoint can answer with; they are documented on each. */
const always: readonly ProblemCode[] = ['internal-error'];

/** The door of an interface. */
export interface MountOptions<A extends string, C> {
  /** Before the path of every endpoint, such as `/api`. */
  readonly prefix: string;
  /** Decides who the caller is and whether this access is given; throws a Problem. */
  readonly admit: (access: A, request: FastifyRequest) => Promise<C>;
  /** What an access asks of the caller, in the words of OpenAPI. */
  readonly security: (access: A) => Record<string, string[]>[];
  /** What `admit` may answer when it does not give this access; documented on each endpoint. */
  readonly refusals?: (access: A) => readonly ProblemCode[];
  readonly limits?: Limits<C>;
  /** Takes an admitted request over, whose body has not been read; `done` gives it back with an error. */
  readonly divert?: Divert<C>;
  /** Adds headers that every answer to this caller carries, a refusal of the operation as well. */
  readonly announce?: (caller: C, reply: FastifyReply) => void;
}

/** Returns whether it has taken the request. */
export type Divert<C> = (
  caller: C,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error: Error) => void,
) => boolean;

/** Adds a table of endpoints to a server. */
export function mount<A extends string, C>(
  app: FastifyInstance,
  endpoints: readonly Endpoint<A, C>[],
  { prefix, admit, security, refusals = () => [], limits, divert, announce }: MountOptions<A, C>,
): void {
  if (!app.hasRequestDecorator(CALLER)) app.decorateRequest(CALLER, null);
  const add = (endpoint: Endpoint<A, C>, route: RouteOptions): void => {
    if (!takesNoBody(endpoint)) app.route(route);
    else
      void app.register((scope, _options, done) => {
        leaveBodiesUnread(scope);
        scope.route(route);
        done();
      });
  };
  for (const endpoint of endpoints) {
    // The validator has checked the body against the very schema that types the cost.
    const lookup = endpoint.lookup as Lookup | undefined;
    const enter = limitedAdmission((request) => admit(endpoint.access, request), limits, lookup);
    const { connectionLimits } = app;
    const admitted = (caller: C, request: FastifyRequest): void => {
      if (limits && limits.nameOf(caller) !== null) connectionLimits.admitted(request.raw.socket, request.ip);
    };
    const observe = app.observer?.route(endpoint.method, prefix + endpoint.path);
    const limited = limits?.ownOf || limits?.rates.applyTo(lookup) ? (['too-many-requests'] as const) : [];
    const judge = judgeRequest(endpoint);
    const schema = describe(app, endpoint, security(endpoint.access), [...refusals(endpoint.access), ...limited]);
    add(endpoint, {
      method: endpoint.method,
      url: prefix + endpoint.path,
      exposeHeadRoute: false,
      // A HEAD that is declared is described as well.
      config: {
        swagger: { exposeHeadRoute: true },
        ...(endpoint.jsonTextBytes !== undefined && { jsonTextBytes: endpoint.jsonTextBytes }),
        ...(endpoint.parseJson && { parseJson: endpoint.parseJson }),
        isEndpoint: true,
      },
      schema,
      // Before the body is parsed: a stranger does not get to upload.
      onRequest: (request, reply, done) => {
        observe?.(request);
        enter(request, reply).then(
          (caller) => {
            admitted(caller, request);
            if (divert?.(caller, request, reply, done)) return observeDiverted(request, reply);
            request.setDecorator(CALLER, { caller });
            announce?.(caller, reply);
            done(judge(request));
          },
          (error: Error) => done(error),
        );
      },
      handler: (request, reply) => {
        const known = request.getDecorator<{ readonly caller: C } | null>(CALLER);
        if (!known) throw new Error('A request reached its handler without having been admitted');
        countBody(limits, lookup, known.caller, request, reply);
        const call: Call<unknown, unknown, unknown, C> = {
          params: request.params,
          query: request.query,
          body: request.body,
          caller: known.caller,
          request,
          reply,
        };
        // The validator has checked params, query and body against the very schemas that type them.
        const answer = endpoint.handle(call as Call<never, never, never, C>);
        if (answer instanceof Promise) return answer.then((settled) => send(request, reply, settled));
        send(request, reply, answer);
        return undefined;
      },
    });
  }
}

/** What somebody else answers is over when its connection says so. */
export function observeDiverted(request: FastifyRequest, reply: FastifyReply): void {
  if (!request.observation) return;
  reply.raw.once('close', () => request.observation?.end(request, reply.raw.statusCode));
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  request.observation?.end(request, status);
  if (headers) reply.headers(headers);
  if (body instanceof Readable || (typeof body === 'string' && body.length > LARGE))
    closeWhenStalled(reply.raw, request.server.slowReaderMs);
  return reply.status(status).send(body);
}

/** Declares an endpoint with its types inferred from its schemas. Bind the access and caller types once per interface. */
export function endpointsOf<A extends string, C>() {
  return <P extends TSchema, Q extends TSchema, B extends TSchema>(
    declaration: EndpointDeclaration<P, Q, B, A, C>,
  ): Endpoint<A, C> => declaration;
}

function describe<A extends string, C>(
  app: FastifyInstance,
  endpoint: Endpoint<A, C>,
  security: Record<string, string[]>[],
  refusals: readonly ProblemCode[],
) {
  const isLimited = refusals.includes('too-many-requests');
  const named = new Map<string, object>();
  const refer = (schema: TSchema): object => byReference(schema, named);
  const part = (name: string, schema: TSchema | undefined): Record<string, object> =>
    schema ? { [name]: refer(schema) } : {};
  const codes = [...new Set([...endpoint.problems, ...refusals, ...bodyProblems(endpoint), ...always])];
  const facts = { ...endpoint, problems: codes };
  const sends = [...new Set([...(endpoint.sends ?? []), ...sentHeaders(facts)])];
  const response = {
    ...Object.fromEntries(
      Object.entries(endpoint.answers).map(([status, answer]) => [
        status,
        { ...success(answer, refer), headers: responseHeaders(Number(status), isLimited, sends) },
      ]),
    ),
    ...failures(codes, isLimited, refer),
  };
  const parts = {
    ...part('params', endpoint.params),
    ...part('querystring', endpoint.query),
    ...part('body', endpoint.body),
  };
  const consumed =
    endpoint.consumes &&
    Object.fromEntries(Object.entries(endpoint.consumes).map(([media, schema]) => [media, { schema: refer(schema) }]));
  for (const [id, schema] of named) if (!app.getSchema(id)) app.addSchema(schema);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    security,
    honoured: requestHeaders(facts),
    ...(consumed && { consumed }),
    ...(endpoint.links && { links: endpoint.links }),
    ...parts,
    response,
  };
}

/** What the platform answers to a JSON body before the operation sees it. */
function bodyProblems({ body }: { readonly body?: TSchema }): readonly ProblemCode[] {
  return body ? ['invalid-request', 'malformed-json', 'too-large', 'unsupported-media-type'] : [];
}

/**
 * The schema of a route as the description shows it. What the operation itself reads is a body as well. The headers that it
 * honours are parameters; they are no part of what is validated, as each is judged where it is read.
 */
export function asDescribed(schema: object): object {
  const { consumed, honoured, ...rest } = schema as { consumed?: object; honoured?: object };
  return {
    ...rest,
    ...(honoured && Object.keys(honoured).length > 0 && { headers: { type: 'object', properties: honoured } }),
    ...(consumed && { body: { content: consumed } }),
  };
}

function success(answer: TSchema | Media | null, refer: (schema: TSchema) => object): object {
  if (answer === null) return { type: 'null', description: 'No body.' };
  if (isMedia(answer)) {
    const schemaOf = (media: string) => (media === 'application/json' && answer.json ? refer(answer.json) : {});
    const content = Object.fromEntries(answer.media.map((media) => [media, { schema: schemaOf(media) }]));
    return { description: 'The content.', content };
  }
  return { description: 'Success.', content: { 'application/json': { schema: refer(answer) } } };
}

function isMedia(answer: TSchema | Media): answer is Media {
  return 'media' in answer && Array.isArray(answer.media);
}

function failures(
  codes: readonly ProblemCode[],
  isLimited: boolean,
  refer: (schema: TSchema) => object,
): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const schema = refer(ProblemDetails);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      {
        description: of.map((code) => `\`${code}\`: ${problems[code].title}`).join('. '),
        headers: responseHeaders(status, isLimited),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}

/** Path parameter `name` that is a UUID. */
export const pathId = <N extends string>(name: N) =>
  Type.Object({ [name]: Type.String({ format: 'uuid' }) } as Record<N, ReturnType<typeof Type.String>>);
