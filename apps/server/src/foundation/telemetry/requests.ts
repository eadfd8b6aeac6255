import type { ProblemCode } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { RouteDurations } from './request-durations.ts';
import type { Telemetry } from './telemetry.ts';
import { formatTraceparent, parseTraceparent, type TraceContext } from './trace-context.ts';
import type { OpenSpan } from './tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where nobody measures, and once the answer has begun. */
    observation: Observation | null;
  }
}

/** A request that is being measured. */
export class Observation {
  readonly #startedAt = performance.now();
  readonly #durations: RouteDurations | null;
  readonly #span: OpenSpan | null;

  constructor(durations: RouteDurations | null, span: OpenSpan | null) {
    this.#durations = durations;
    this.#span = span;
  }

  /** Its place in the trace; null without tracing. */
  get trace(): TraceContext | null {
    return this.#span?.context ?? null;
  }

  /** The answer begins. */
  end(request: FastifyRequest, status: number): void {
    request.observation = null;
    this.#durations?.observe(status, performance.now() - this.#startedAt);
    this.#span?.end({ 'http.response.status_code': status, 'kethub.request_id': request.id }, status >= 500);
  }
}

/** Measures the requests to one route. */
export type RouteObserver = (request: FastifyRequest) => void;

/** Measures the requests to an interface. */
export class RequestObserver {
  readonly #telemetry: Telemetry;
  readonly #interface: string;
  /** By method, of which the parser of HTTP knows three dozen. */
  readonly #unrouted = new Map<string, RouteObserver>();

  private constructor(telemetry: Telemetry, face: string) {
    this.#telemetry = telemetry;
    this.#interface = face;
  }

  /** Null when nobody wants to know. */
  static of(telemetry: Telemetry, face: 'platform' | 'gateway'): RequestObserver | null {
    return telemetry.metrics || telemetry.tracing ? new RequestObserver(telemetry, face) : null;
  }

  /** To be called with every request to the route, as soon as it is there. `route` is its path with placeholders. */
  route(method: string, route: string): RouteObserver {
    const { metrics, tracing } = this.#telemetry;
    const durations = metrics?.requests.route({ interface: this.#interface, method, route }) ?? null;
    const name = `${method} ${route}`;
    return (request) => {
      const span = tracing?.begin(name, 'SERVER', parseTraceparent(request.headers.traceparent)) ?? null;
      request.observation = new Observation(durations, span);
    };
  }

  /** The same for a request that fits no endpoint: `place` stands for all addresses that are answered alike. */
  unrouted(request: FastifyRequest, place: string): void {
    const { method } = request;
    const observe = this.#unrouted.get(method) ?? this.route(method, place);
    this.#unrouted.set(method, observe);
    observe(request);
  }

  refused(problem: ProblemCode): void {
    this.#telemetry.metrics?.refused(this.#interface, problem);
  }
}

/** Where a request stands in a trace, whoever began it; null when it is part of none. */
export function traceOf(request: FastifyRequest): TraceContext | null {
  return request.observation?.trace ?? parseTraceparent(request.headers.traceparent);
}

/** At least so much has to be passed on (W3C Trace Context, §3.3.1.5); longer ones are left out. */
const LONGEST_STATE = 512;

/**
 * What a request that is sent on to somebody else's server carries, so that both find it under one id and in one trace:
 * `x-request-id`, `traceparent` and, when the caller's trace goes on, its `tracestate`. `span` is that of the sending;
 * without one the caller's place is passed on, as by anybody who records nothing (W3C Trace Context, §4.3).
 */
export function forwardedHeaders(request: FastifyRequest, span: OpenSpan | null): Record<string, string> {
  const begun = parseTraceparent(request.headers.traceparent);
  const place = span?.context ?? begun;
  const { tracestate } = request.headers;
  const passed = begun !== null && typeof tracestate === 'string' && tracestate.length <= LONGEST_STATE;
  return {
    'x-request-id': request.id,
    ...(place && { traceparent: formatTraceparent(place) }),
    ...(passed && { tracestate }),
  };
}
