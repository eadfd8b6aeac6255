import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { callerOf } from '@kethub/server/testing/gateway';
import { startLargeInstallation, type LargeInstallation } from '../lib/large-installation.ts';
import type { Measurement } from '../lib/measurement.ts';
import { postgresCost, secondsOf, waitsDuring, type PostgresCost } from '../lib/postgres-cost.ts';
import type { Server } from '../lib/process.ts';
import { median, percentile } from '../lib/statistics.ts';

const WORKERS = Number(process.env['WORKERS'] ?? 1_000);
const PROCESSES = 4;
const SETTLED_MS = 15_000;
const SECONDS = 30;
/** Seconds in which programs that have done nothing yet begin to work. */
const COLD_SECONDS = 5;
/** A million executions a day. */
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 12);

/** The cost of workers on one PostgreSQL, idle and with a million executions a day. The workers run no user code. */
export async function manyWorkers(): Promise<Measurement[]> {
  const installation = await startLargeInstallation({});
  try {
    const count = Math.floor(WORKERS / PROCESSES) * PROCESSES;
    const began = performance.now();
    const done = (what: string): void => {
      process.stderr.write(`  ${what} after ${Math.round((performance.now() - began) / 1_000)} s\n`);
    };
    const servers = await installation.workers(count, PROCESSES, { atOnce: 4, runMs: 100 });
    done(`${count} workers began`);
    await pause(SETTLED_MS);
    const idle = await costOf(installation, servers, () => pause(SECONDS * 1_000));
    done('idle');
    let left = 0;
    let waiting: Awaited<ReturnType<typeof waitsDuring>> = [];
    const busy = await costOf(installation, servers, async () => {
      waiting = await waitsDuring(installation.databaseUrl, async () => (left = await load(installation)));
    });
    done('with work');
    for (const [what, mean] of waiting) process.stderr.write(`  ${mean.toFixed(2)} connections: ${what}\n`);
    const waits = await waitsOf(installation);
    const of = count.toLocaleString('en');
    const how = `${of} simulated workers in ${PROCESSES} processes, each with its own connections, heartbeat, claims, polls and engine of workflows, for ${SECONDS} s; max_connections 5,000`;
    const ofOne = (cost: (of: Cost) => number): number =>
      ((cost(busy) - cost(idle)) * busy.took) / (PER_SECOND * SECONDS);
    const work = `${PER_SECOND} executions a second`;
    const row = (name: string, unit: string, value: number, goal: Measurement['goal'] = null): Measurement => ({
      name: `${of} workers on one PostgreSQL: ${name}`,
      unit,
      value,
      goal,
      how,
      rounds: {},
    });
    return [
      row('processor time of PostgreSQL, idle', 'ms/s for each', (idle.seconds * 1_000) / count),
      row('transactions, idle', '/s for each', idle.transactions / count),
      row('connections', 'for each', busy.connections / count),
      row('memory of PostgreSQL (PSS)', 'MB for each', busy.memoryMb / count),
      row(`processor time of PostgreSQL with ${work}`, 'cores', busy.seconds),
      row(`processor time of PostgreSQL for one execution`, 'ms', ofOne((cost) => cost.seconds) * 1_000),
      row(`transactions with ${work}`, '/s for each', busy.transactions / count),
      row(
        'transactions for one execution',
        '',
        ofOne((cost) => cost.transactions),
      ),
      row('connections that wait for the lock of claims', '', new Map(waiting).get('Lock advisory') ?? 0),
      row(`processor time of the workers, idle`, 'ms/s for each', (idle.ofWorkers * 1_000) / count),
      row(`processor time of the workers with ${work}`, 'ms/s for each', (busy.ofWorkers * 1_000) / count),
      row(`processor time of gateways and load with ${work}`, 'cores', busy.ofLoad),
      row(`processor time of the machine with ${work}`, `cores of ${os.cpus().length}`, busy.ofMachine),
      row(`of ${PER_SECOND * SECONDS} executions, not ended after a minute`, 'executions', left, { atMost: 0 }),
      { ...row('from accept to start, median', 'ms', median(waits)), rounds: { waits } },
      row('from accept to start, p99', 'ms', percentile(waits, 0.99), { atMost: 1_000 }),
      row(
        `from accept to start, p99 after the first ${COLD_SECONDS} s`,
        'ms',
        percentile(waits.slice(PER_SECOND * COLD_SECONDS), 0.99),
      ),
    ];
  } finally {
    await installation.close();
  }
}

interface Cost extends PostgresCost {
  /** Processor time of the workers' processes in seconds. */
  readonly ofWorkers: number;
  /** Processor time of gateways and of this process, which calls them. */
  readonly ofLoad: number;
  /** Processor time of all programs on the machine. */
  readonly ofMachine: number;
  /** Seconds of the measurement. */
  readonly took: number;
}

/** Costs a second. */
async function costOf(
  { databaseUrl, postgres, kethub }: LargeInstallation,
  workers: readonly Server<unknown>[],
  work: () => Promise<unknown>,
): Promise<Cost> {
  const ofAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
  const spent = () => ({
    ofWorkers: ofAll(workers.map(({ pid }) => pid)),
    ofLoad: ofAll([process.pid, ...kethub.gateways.map(({ pid }) => pid)]),
    ofMachine: busySeconds(),
  });
  const before = { ...(await postgresCost(databaseUrl, postgres.pid)), ...spent() };
  const began = performance.now();
  await work();
  const took = (performance.now() - began) / 1_000;
  const after = { ...spent(), ...(await postgresCost(databaseUrl, postgres.pid)) };
  return {
    ...after,
    took,
    seconds: (after.seconds - before.seconds) / took,
    transactions: (after.transactions - before.transactions) / took,
    ofWorkers: (after.ofWorkers - before.ofWorkers) / took,
    ofLoad: (after.ofLoad - before.ofLoad) / took,
    ofMachine: (after.ofMachine - before.ofMachine) / took,
  };
}

/** Seconds for which processors of the machine have worked so far. */
function busySeconds(): number {
  return os.cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1_000;
}

/** Returns how many executions have not ended a minute after they were accepted. */
async function load({ service, kethub }: LargeInstallation): Promise<number> {
  const app = await callerOf(service, kethub);
  const began = performance.now();
  const calls = Array.from({ length: PER_SECOND * SECONDS }, async (_value, number) => {
    await pause(Math.max(0, began + (number * 1_000) / PER_SECOND - performance.now()));
    const { status } = await app.finish({});
    return status;
  });
  const statuses = await Promise.all(calls);
  return statuses.filter((status) => status !== 'SUCCEEDED').length;
}

async function waitsOf({ kethub }: LargeInstallation): Promise<number[]> {
  const { rows } = await sql<{ wait: string | number }>`select started_at - created_at as wait from executions
    where started_at is not null order by id`.execute(kethub.platform.database.read);
  return rows.map(({ wait }) => Number(wait));
}
