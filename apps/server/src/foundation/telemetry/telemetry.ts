import type { Logger } from 'pino';
import type { Configuration } from '../config/index.ts';
import { Metrics } from './metrics.ts';
import { openTracing, type Tracing } from './tracing.ts';

/** Metrics and traces of this process; null if the configuration does not enable them. */
export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

export const noTelemetry: Telemetry = { metrics: null, tracing: null };

export async function openTelemetry({ metrics, tracing }: Configuration, log: Logger): Promise<Telemetry> {
  return { metrics: metrics && new Metrics(), tracing: tracing && (await openTracing(tracing, log)) };
}
