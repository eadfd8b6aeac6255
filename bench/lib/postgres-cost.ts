import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { memoryOf, textOf, treeOf } from './process.ts';

/** The cost of a PostgreSQL so far. */
export interface PostgresCost {
  /** Processor time of all its processes in seconds, those that have ended included. */
  readonly seconds: number;
  /** Committed and rolled back transactions of the database. */
  readonly transactions: number;
  readonly connections: number;
  /** Proportional memory (PSS) of all its processes in MB. */
  readonly memoryMb: number;
}

/** Reads the cost of the server whose first process is `pid`. */
export async function postgresCost(url: string, pid: number): Promise<PostgresCost> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ transactions: string; connections: string }>(
      `select xact_commit + xact_rollback as transactions,
        (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as connections
      from pg_stat_database where datname = current_database()`,
    );
    const all = treeOf(pid);
    return {
      seconds: all.reduce((sum, one) => sum + secondsOf(one), 0) + endedChildrenOf(pid),
      transactions: Number(rows[0]?.transactions),
      connections: Number(rows[0]?.connections),
      memoryMb: all.reduce((sum, one) => sum + memoryOf(one), 0),
    };
  } finally {
    await client.end();
  }
}

/** Counts what the connections that are not idle wait for while `work` is under way: their mean number, most first. */
export async function waitsDuring(url: string, work: () => Promise<unknown>): Promise<[what: string, mean: number][]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const counts = new Map<string, number>();
  let samples = 0;
  const over = new AbortController();
  const working = work().finally(() => over.abort());
  while (!over.signal.aborted) {
    const { rows } = await client.query<{ what: string; connections: number }>(WAITS);
    samples += 1;
    for (const { what, connections } of rows) counts.set(what, (counts.get(what) ?? 0) + connections);
    await pause(SAMPLE_MS);
  }
  await client.end();
  await working;
  return [...counts].map(([what, count]): [string, number] => [what, count / samples]).toSorted((a, b) => b[1] - a[1]);
}

const SAMPLE_MS = 200;
const WAITS = `select coalesce(wait_event_type || ' ' || wait_event, 'processor') as what, count(*)::int as connections
  from pg_stat_activity
  where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid() group by 1`;

/** Processor time of a process so far: fields 14 and 15 of proc(5), in ticks. Those of ended children are 16 and 17. */
export function secondsOf(pid: number): number {
  const [user, system] = fieldsOf(pid);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

function endedChildrenOf(pid: number): number {
  const [, , user, system] = fieldsOf(pid);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

function fieldsOf(pid: number): number[] {
  const text = textOf(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}
