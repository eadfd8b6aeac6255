import type { Runtime, RunnerStatus } from '@kethub/runtime';
import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database, Queries } from '../storage/index.ts';

/** Most rows that are counted, so that a scrape stays cheap. More are shown as this number. */
const MOST = 100_000;

type Report = (error: unknown) => void;

/** Adds gauges that query the database at each scrape. All processes of an installation report the same values. */
export function addDatabaseGauges(registry: Registry, database: Database, report: Report): void {
  const count = (name: string, help: string, table: CountedTable, status?: 'PENDING' | 'RUNNING'): void =>
    addGauge(registry, name, help, report, () => countRows(database.read, table, status));
  const waiting = `Executions that wait for a worker, counted up to ${MOST}`;
  count('kethub_executions_pending', waiting, 'executions', 'PENDING');
  count('kethub_executions_running', 'Executions that run, on all workers', 'executions', 'RUNNING');
  count('kethub_builds_pending', 'Builds that wait', 'builds', 'PENDING');
  count('kethub_builds_running', 'Builds that run', 'builds', 'RUNNING');
  count('kethub_mails_waiting', 'Mails that have not been handed over', 'outgoing_mails');
  const connections = new Gauge({
    name: 'kethub_database_connections',
    help: 'Connections of this process to PostgreSQL, and requests that wait for one; not with SQLite',
    labelNames: ['state'],
    registers: [],
    collect() {
      const { total, idle, waiting } = database.connections?.() ?? {};
      if (total === undefined) return;
      this.set({ state: 'busy' }, total - (idle ?? 0));
      this.set({ state: 'idle' }, idle ?? 0);
      this.set({ state: 'waiting' }, waiting ?? 0);
    },
  });
  registry.registerMetric(connections);
}

type CountedTable = 'executions' | 'builds' | 'outgoing_mails';

/** Counts rows, up to a bound. */
export async function countRows(read: Queries, table: CountedTable, status?: 'PENDING' | 'RUNNING'): Promise<number> {
  // The status is a literal, because a partial index is not used for a parameter.
  const condition = status === undefined ? sql`` : sql`where status = ${sql.lit(status)}`;
  const { rows } = await sql<{ taken: number | string }>`
    select count(*) as taken from (select 1 from ${sql.table(table)} ${condition} limit ${MOST}) as counted`.execute(
    read,
  );
  return Number(rows[0]?.taken ?? 0);
}

/** Adds gauges of the runner of this data folder. */
export function addRunnerGauges(registry: Registry, runtime: Runtime, report: Report): void {
  const gauge = (name: string, help: string, value: (status: RunnerStatus) => number): void =>
    addGauge(registry, name, help, report, async () => value(await runtime.status()));
  gauge('kethub_runner_executions', 'Executions that the runner of this process runs', ({ running }) => running.length);
  gauge('kethub_runner_builds', 'Sandboxes of builds that the runner of this process runs', ({ commands }) => commands);
  gauge('kethub_runner_warm_processes', 'Pre-warmed processes that wait for an execution', ({ warm }) => warm.length);
  gauge('kethub_runner_warm_bytes', 'Memory that pre-warmed processes hold', ({ warm }) =>
    warm.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const pods = 'Pods of a cluster that wait for an execution, or are on their way';
  gauge('kethub_runner_warm_pods', pods, ({ warmPods = [] }) => warmPods.length);
}

/** Adds a gauge that is left out of a scrape if it cannot be read, so that the others are still served. */
function addGauge(registry: Registry, name: string, help: string, report: Report, read: () => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      try {
        this.set(await read());
      } catch (error) {
        this.remove();
        report(error);
      }
    },
  });
  registry.registerMetric(gauge);
}
