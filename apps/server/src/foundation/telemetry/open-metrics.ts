import type { Runtime } from '@kethub/runtime';
import type { Logger } from 'pino';
import type { Configuration } from '../config/index.ts';
import { usablePort } from '../process/index.ts';
import type { Database } from '../storage/index.ts';
import { addDatabaseGauges, addRunnerGauges } from './gauges.ts';
import { serveMetrics } from './metrics-server.ts';
import type { Telemetry } from './telemetry.ts';

interface MetricsOptions {
  readonly configuration: Configuration;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly log: Logger;
}

/**
 * Serves the metrics of this process if the configuration enables them. `runtime` is null in a process without a
 * worker.
 */
export async function openMetrics(
  { configuration, telemetry, database, log }: MetricsOptions,
  runtime: Runtime | null,
): Promise<() => Promise<void>> {
  const { metrics } = telemetry;
  if (!metrics || !configuration.metrics) return () => Promise.resolve();
  const report = (error: unknown): void => log.warn({ err: error }, 'a metric could not be read');
  addDatabaseGauges(metrics.registry, database, report);
  if (runtime) addRunnerGauges(metrics.registry, runtime, report);
  const { host } = configuration.metrics;
  const port = await usablePort(host, configuration.metrics.port, 'KETHUB_METRICS_PORT');
  return serveMetrics(metrics.registry, { host, port }, log);
}
