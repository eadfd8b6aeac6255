import type { Runtime } from '@kethub/runtime';
import type { Logger } from 'pino';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import type { Configuration } from '../config/index.ts';
import { usablePort } from '../process/index.ts';
import type { Database } from '../storage/index.ts';
import { addDatabaseGauges, addRunnerGauges } from './gauges.ts';
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

/** Serves `/metrics`, and nothing else, on a separate port. Returns a function that closes the server. */
async function serveMetrics(
  registry: Registry,
  { host, port }: { readonly host: string; readonly port: number },
  log: Logger,
): Promise<() => Promise<void>> {
  let reading: Promise<string> | null = null;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only GET /metrics.\n');
      return;
    }
    // Concurrent scrapes share one read of database and runner.
    reading ??= registry.metrics().finally(() => (reading = null));
    reading.then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be read');
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  if (typeof address === 'object') log.info({ host, port: address?.port }, 'metrics are at /metrics');
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    registry.clear();
  };
}
