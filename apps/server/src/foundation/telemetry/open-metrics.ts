import type { Runtime } from '@kethub/runtime';
import type { Platform } from '../platform.ts';
import { usablePort } from '../process/index.ts';
import { addDatabaseGauges, addRunnerGauges } from './gauges.ts';
import { serveMetrics } from './metrics-server.ts';

/** Serves the metrics of this process where the configuration says so. `runtime` is null where nothing runs. */
export async function openMetrics(
  { configuration, telemetry, database, log }: Platform,
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
