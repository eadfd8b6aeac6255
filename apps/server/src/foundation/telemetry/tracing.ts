import type { Attributes, Context } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TracingSettings } from '../config/index.ts';
import { withoutSecrets } from '../process/index.ts';
import type { TraceContext } from './trace-context.ts';

export type { Attributes };

/** A span that has not ended. */
export interface OpenSpan {
  readonly context: TraceContext;
  end(attributes: Attributes, failed: boolean): void;
}

/** Records spans of this process, and exports them to an OpenTelemetry collector. */
export interface Tracing {
  /** Begins a span, in the trace of `parent` or in a new one. */
  begin(name: string, kind: 'SERVER' | 'CLIENT' | 'INTERNAL' | 'CONSUMER', parent: TraceContext | null): OpenSpan;
  /** Records a span that has ended; `from` and `until` are epoch milliseconds. */
  record(
    name: string,
    parent: TraceContext,
    from: number,
    until: number,
    attributes: Attributes,
    failed: boolean,
  ): void;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/**
 * Opens the SDK of OpenTelemetry with its exporter for OTLP over HTTP. Its instrumentations are not used: they patch
 * every library, and leave 13 % of the requests a second. Only this function loads the SDK, so it costs nothing
 * without the setting. The exporter reads its other settings (headers, time-out, compression, certificates) from
 * standard variables.
 */
export async function openTracing({ endpoint, ratio }: TracingSettings, log: Logger): Promise<Tracing> {
  const { diag, DiagLogLevel, ROOT_CONTEXT, SpanStatusCode, trace, SpanKind } = await import('@opentelemetry/api');
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const report = (text: string): void => log.warn({ detail: withoutSecrets(text) }, 'traces could not be exported');
  diag.setLogger(
    { error: report, warn: report, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'kethub' }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('kethub');
  const below = (parent: TraceContext | null): Context =>
    parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: parent.flags, isRemote: true }) : ROOT_CONTEXT;
  return {
    begin(name, kind, parent) {
      const span = tracer.startSpan(name, { kind: SpanKind[kind] }, below(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        context: { traceId, spanId, flags: traceFlags },
        end(attributes, failed) {
          span.setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    record(name, parent, from, until, attributes, failed) {
      const span = tracer.startSpan(name, { startTime: from, attributes }, below(parent));
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(until);
    },
    close: () => provider.shutdown(),
  };
}
