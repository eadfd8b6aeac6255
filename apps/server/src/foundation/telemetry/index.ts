export { addDatabaseGauges, addRunnerGauges, countRows } from './gauges.ts';
export { Metrics } from './metrics.ts';
export { openMetrics } from './open-metrics.ts';
export { forwardedHeaders, RequestObserver, traceOf } from './requests.ts';
export { noTelemetry, openTelemetry, type Telemetry } from './telemetry.ts';
export type { OpenSpan } from './tracing.ts';
export { formatTraceparent, isSampled, parseTraceparent, type TraceContext } from './trace-context.ts';
