import type { Logger } from 'pino';
import type { Configuration } from '../config/index.ts';
import { Metrics } from './metrics.ts';
import { openTracing, type Tracing } from './tracing.ts';

/** What this process tells about itself; null is what nobody has asked for, and costs nothing. */
export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

export const noTelemetry: Telemetry = { metrics: null, tracing: null };

export async function openTelemetry({ metrics, tracing }: Configuration, log: Logger): Promise<Telemetry> {
  return { metrics: metrics && new Metrics(), tracing: tracing && (await openTracing(tracing, log)) };
}
