import { Type, type Static, type TObject } from 'typebox';

/** Address at which this process serves its metrics. */
export interface MetricsSettings {
  readonly host: string;
  readonly port: number;
}

export interface TracingSettings {
  /** Address of an OpenTelemetry collector (OTLP over HTTP). */
  readonly endpoint: string;
  /** Share of requests that are recorded, from 0 to 1, unless the caller's `traceparent` decides. */
  readonly ratio: number;
}

/** The settings of metrics and traces. */
export const TelemetryFields = {
  KETHUB_METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description:
        'Port at which this process serves Prometheus metrics, at `/metrics`. See [Monitoring](monitoring.md). Default: none, no metrics.',
    }),
  ),
  KETHUB_METRICS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to serve the metrics on. Everybody who reaches it can read them: keep it internal.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'OpenTelemetry collector (OTLP over HTTP) that traces are sent to, such as `http://localhost:4318`. Default: none, no traces.',
    }),
  ),
  KETHUB_TRACE_RATIO: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description:
      'Share of the requests that are traced, where the caller has not decided in `traceparent`. Recording costs time.',
  }),
};

type Given = Static<TObject<typeof TelemetryFields>>;

export function metricsOf({ KETHUB_METRICS_HOST: host, KETHUB_METRICS_PORT: port }: Given): MetricsSettings | null {
  return port === undefined ? null : { host, port };
}

export function tracingOf(given: Given): TracingSettings | null {
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined ? null : { endpoint, ratio: given.KETHUB_TRACE_RATIO };
}
