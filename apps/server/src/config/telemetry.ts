/** Where the metrics of this process are served. */
export interface MetricsSettings {
  readonly host: string;
  readonly port: number;
}

export interface TracingSettings {
  /** Of an OpenTelemetry collector (OTLP over HTTP). */
  readonly endpoint: string;
  /** Share of the requests that are recorded when their caller has not decided. */
  readonly ratio: number;
}

interface Given {
  readonly KETHUB_METRICS_HOST: string;
  readonly KETHUB_METRICS_PORT?: number;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly KETHUB_TRACE_RATIO: number;
}

export function metricsOf({ KETHUB_METRICS_HOST: host, KETHUB_METRICS_PORT: port }: Given): MetricsSettings | null {
  return port === undefined ? null : { host, port };
}

export function tracingOf(given: Given): TracingSettings | null {
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined ? null : { endpoint, ratio: given.KETHUB_TRACE_RATIO };
}
