import { Readable } from 'node:stream';
import { problems, ProblemDetails, type ProblemCode } from '@kethub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { RequestObserver } from '../telemetry/index.ts';
import { byReference } from './components.ts';
import type { ConnectionLimits } from './connections.ts';
import type { Drain } from './drain.ts';
import { judgeRequest, leaveBodiesUnread, takesNoBody } from './judge-request.ts';
import type { ParseJson } from '@kethub/service-api';
import { countBody, limitedAdmission, type Limits } from './limited-admission.ts';
import type { Lookup } from './rate-limits.ts';
import { requestHeaders, sentHeaders } from './request-headers.ts';
import { responseHeaders, type ResponseHeader } from './response-headers.ts';
import { closeWhenStalled } from './slow-readers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most bytes of a JSON body that the handler gets unparsed. */
    jsonTextBytes?: number;
    /** Parses a JSON body in place of `JSON.parse`, which rounds numbers. */
    parseJson?: ParseJson;
    /** True if `mount` has added the route; it measures its requests itself. */
    isEndpoint?: boolean;
  }
  interface FastifyInstance {
    readonly observer: RequestObserver | null;
    readonly connectionLimits: ConnectionLimits;
    /** Milliseconds after which a connection that takes nothing of its answer is closed. */
    readonly slowReaderMs: number;
    readonly drain: Drain;
  }
}

/** The answer of an endpoint. Its body fits the declared schema, or is a stream for media. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is a stream of one of these media types. */
export interface Media {
  readonly media: readonly string[];
  /** Schema of an `application/json` body, for the OpenAPI document. */
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

interface EndpointFacts<B extends TSchema, A extends string> {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Unique name in the interface description. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Requirement on the caller, decided before the body is read. */
  readonly access: A;
  /** True if callers without a credential are admitted too, as visitors with a limit for each network. */
  readonly visitors?: boolean;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: B;
  /**
   * Request bodies that the operation reads and validates itself, by media type; the schemas are for the OpenAPI
   * document.
   */
  readonly consumes?: Readonly<Record<string, TSchema>>;
  /** The most bytes of a JSON body in `consumes`, which the operation gets unparsed. */
  readonly jsonTextBytes?: number;
  /** Parses a JSON body. Default: `JSON.parse`, which rounds numbers to doubles. */
  readonly parseJson?: ParseJson;
  /** Per success status: the schema, or null for no body, or media types for a stream. */
  readonly answers: Readonly<Record<number, TSchema | null | Media>>;
  /** Headers of its successful answers. */
  readonly sends?: readonly ResponseHeader[];
  readonly problems: readonly ProblemCode[];
  /** True if it honours `Prefer: wait=N`. */
  readonly waits?: boolean;
  /** Cost in lookups of people, which are rate-limited; absent if it looks nobody up. */
  readonly lookup?: Lookup<Static<B>>;
  readonly links?: Readonly<Record<string, object>>;
}

interface Schemas<P extends TSchema, Q extends TSchema> {
  readonly params?: P;
  readonly query?: Q;
}

/** Work of an endpoint: `run` an operation, whose value is the body, or `handle` the call and answer by itself. */
type Handling<Arguments, Value> =
  | {
      /** Returns the body. The answer has the only success status of the endpoint. */
      readonly run: (call: Arguments) => Promise<Value> | Value;
      /** Headers of the answer, or a function that makes them from its body and the call. */
      readonly headers?: Headers | ((value: Value, call: Arguments) => Headers);
    }
  | { readonly handle: (call: Arguments) => Promise<Answer> | Answer };

type Headers = Readonly<Record<string, string>>;

/** An endpoint with its types erased, as the tables of endpoints hold it. */
export interface Endpoint<A extends string, C> extends Omit<EndpointFacts<TSchema, A>, 'lookup'> {
  readonly lookup?: Lookup<never>;
  readonly handle: (call: Call<never, never, never, C>) => Promise<Answer> | Answer;
}

const CALLER = 'caller';
/**
 * Longest text, in characters, that fits into the buffers of a connection. A longer one is watched for a stalled
 * reader.
 */
const LARGE = 64 * 1024;

/** Problems of every endpoint. */
const always: readonly ProblemCode[] = ['internal-error', 'not-ready'];

/** Admission, limits and address of an interface, for all of its endpoints. */
interface MountOptions<A extends string, C> {
  /** Prefix of every path, such as `/api`. */
  readonly prefix: string;
  /** Authenticates the caller and checks the access; admits visitors if it may. Throws a Problem. */
  readonly admit: (access: A, request: FastifyRequest, visitors: boolean) => Promise<C>;
  /** OpenAPI security requirements of an access. */
  readonly security: (access: A) => Record<string, string[]>[];
  /** Problems with which `admit` may refuse this access. */
  readonly refusals?: (access: A) => readonly ProblemCode[];
  readonly limits?: Limits<C>;
  /** Takes over an admitted request before its body is read; `done` hands it back with an error. */
  readonly divert?: Divert<C>;
  /** Adds headers to every answer to this caller, also to refusals of the operation. */
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
  const withoutBody: RouteOptions[] = [];
  const add = (endpoint: Endpoint<A, C>, route: RouteOptions): void => {
    if (takesNoBody(endpoint)) withoutBody.push(route);
    else app.route(route);
  };
  for (const endpoint of endpoints) {
    // The validator has checked the body against the very schema that types the cost.
    const lookup = endpoint.lookup as Lookup | undefined;
    const { visitors = false } = endpoint;
    const enter = limitedAdmission((request) => admit(endpoint.access, request, visitors), limits, lookup, visitors);
    const { connectionLimits } = app;
    const admitted = (caller: C, request: FastifyRequest): void => {
      if (limits && limits.nameOf(caller) !== null) connectionLimits.admitted(request.raw.socket, request.ip);
    };
    const observe = app.observer?.route(endpoint.method, prefix + endpoint.path);
    const limited = limits?.ownOf || visitors || limits?.rates.applyTo(lookup) ? (['too-many-requests'] as const) : [];
    const judge = judgeRequest(endpoint);
    const requirements = [...security(endpoint.access), ...(visitors ? [{}] : [])];
    const schema = describe(app, endpoint, requirements, [...refusals(endpoint.access), ...limited]);
    add(endpoint, {
      method: endpoint.method,
      url: prefix + endpoint.path,
      exposeHeadRoute: false,
      // Without this the OpenAPI document leaves out declared HEAD operations.
      config: {
        swagger: { exposeHeadRoute: true },
        ...(endpoint.jsonTextBytes !== undefined && { jsonTextBytes: endpoint.jsonTextBytes }),
        ...(endpoint.parseJson && { parseJson: endpoint.parseJson }),
        isEndpoint: true,
      },
      schema,
      // Admission comes before the body is parsed, so that an unknown caller cannot upload.
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
  void app.register((scope, _options, done) => {
    leaveBodiesUnread(scope);
    for (const route of withoutBody) scope.route(route);
    done();
  });
}

/** Ends the observation of a diverted request when its answer is closed. */
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

/**
 * Declares an endpoint with its types inferred from its schemas. Bind the access and caller types once per interface.
 */
export function endpointsOf<A extends string, C>() {
  return <P extends TSchema, Q extends TSchema, B extends TSchema, Value>(
    declaration: EndpointFacts<B, A> & Schemas<P, Q> & Handling<Call<Static<P>, Static<Q>, Static<B>, C>, Value>,
  ): Endpoint<A, C> => {
    if ('handle' in declaration) return declaration;
    const { run, headers, ...facts } = declaration;
    const [status, ...others] = Object.keys(facts.answers).map(Number);
    if (status === undefined || others.length > 0)
      throw new Error(`${facts.id} has ${others.length + 1} success statuses: it must choose one with "handle".`);
    return {
      ...facts,
      async handle(call: Call<Static<P>, Static<Q>, Static<B>, C>) {
        const body = await run(call);
        return {
          status,
          body,
          ...(headers && { headers: typeof headers === 'function' ? headers(body, call) : headers }),
        };
      },
    };
  };
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
  const codes = [...new Set([...endpoint.problems, ...refusals, ...judgedProblems(endpoint), ...always])];
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

/** Problems with which a query or a body is refused before the operation sees it. */
function judgedProblems({
  query,
  body,
  consumes,
}: Pick<EndpointFacts<TSchema, string>, 'query' | 'body' | 'consumes'>) {
  const problems: ProblemCode[] = query || body ? ['invalid-request'] : [];
  if (body) problems.push('malformed-json', 'too-large', 'unsupported-media-type');
  // The memory for bodies may be taken.
  if (body || consumes) problems.push('too-many-requests');
  return problems;
}

/**
 * The schema of a route for the OpenAPI document. Bodies that the operation reads itself are documented as bodies,
 * and the headers that it honours as parameters. Neither is validated by schema: the operation checks them when it
 * reads them.
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
