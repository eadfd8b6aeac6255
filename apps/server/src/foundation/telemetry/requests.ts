import type { ProblemCode } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { RouteDurations } from './request-durations.ts';
import type { Telemetry } from './telemetry.ts';
import { formatTraceparent, parseTraceparent, type TraceContext } from './trace-context.ts';
import type { OpenSpan } from './tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if requests are not measured, and after the answer has begun. */
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

  /** Trace context of the request's span; null without tracing. */
  get trace(): TraceContext | null {
    return this.#span?.context ?? null;
  }

  /** Ends the observation; to be called when the answer begins. */
  end(request: FastifyRequest, status: number): void {
    request.observation = null;
    this.#durations?.observe(status, performance.now() - this.#startedAt);
    this.#span?.end({ 'http.response.status_code': status, 'kethub.request_id': request.id }, status >= 500);
  }
}

/** Begins the observation of a request to one route. */
type RouteObserver = (request: FastifyRequest) => void;

/** Measures the requests to an interface. */
export class RequestObserver {
  readonly #telemetry: Telemetry;
  readonly #interface: string;
  /** Observers by method. Node's HTTP parser knows three dozen methods, which bounds the map. */
  readonly #unrouted = new Map<string, RouteObserver>();

  private constructor(telemetry: Telemetry, face: string) {
    this.#telemetry = telemetry;
    this.#interface = face;
  }

  /** Null without metrics and tracing. */
  static of(telemetry: Telemetry, face: 'platform' | 'gateway'): RequestObserver | null {
    return telemetry.metrics || telemetry.tracing ? new RequestObserver(telemetry, face) : null;
  }

  /** Returns an observer, to be called when a request to the route arrives. `route` is its path with placeholders. */
  route(method: string, route: string): RouteObserver {
    const { metrics, tracing } = this.#telemetry;
    const durations = metrics?.requests.route({ interface: this.#interface, method, route }) ?? null;
    const name = `${method} ${route}`;
    return (request) => {
      const span = tracing?.begin(name, 'SERVER', parseTraceparent(request.headers.traceparent)) ?? null;
      request.observation = new Observation(durations, span);
    };
  }

  /** Begins the observation of a request that matches no route. `label` stands for all such addresses. */
  unrouted(request: FastifyRequest, label: string): void {
    const { method } = request;
    const observe = this.#unrouted.get(method) ?? this.route(method, label);
    this.#unrouted.set(method, observe);
    observe(request);
  }

  refused(problem: ProblemCode): void {
    this.#telemetry.metrics?.refused(this.#interface, problem);
  }
}

/** The trace context of a request: of its own span, or else the caller's; null if it is part of no trace. */
export function traceOf(request: FastifyRequest): TraceContext | null {
  return request.observation?.trace ?? parseTraceparent(request.headers.traceparent);
}

/** Characters of a `tracestate` that must be passed on (W3C Trace Context §3.3.1.5); a longer one is left out. */
const LONGEST_STATE = 512;

/**
 * Headers of a forwarded request, so that both servers log the same id and belong to the same trace. They are
 * `x-request-id`, `traceparent` and, in a trace of the caller, its `tracestate`. `span` is the span of forwarding.
 * Without one, the caller's `traceparent` is passed on (W3C Trace Context §4.3).
 */
export function forwardedHeaders(request: FastifyRequest, span: OpenSpan | null): Record<string, string> {
  const begun = parseTraceparent(request.headers.traceparent);
  const context = span?.context ?? begun;
  const { tracestate } = request.headers;
  const passed = begun !== null && typeof tracestate === 'string' && tracestate.length <= LONGEST_STATE;
  return {
    'x-request-id': request.id,
    ...(context && { traceparent: formatTraceparent(context) }),
    ...(passed && { tracestate }),
  };
}
