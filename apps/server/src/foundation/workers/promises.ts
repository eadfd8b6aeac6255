import { sql } from 'kysely';
import { dialectOf, type Queries } from '../storage/index.ts';
import { needsOfRow, type Machine, type Needs } from './capacity.ts';

/** A claim that stands still, with its machine or its network, holds up all the others only for so long. */
const LONGEST_CLAIM_MS = 5_000;

/** Claims of several workers happen one after the other, those of builds among them: each must see what the last one has promised. */
export async function lockClaims(transaction: Queries): Promise<void> {
  // On SQLite there is one writer.
  if (dialectOf(transaction) === 'sqlite') return;
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(LONGEST_CLAIM_MS)}, true),
    pg_advisory_xact_lock(hashtextextended('claims of ' || current_schema(), 0))`.execute(transaction);
}

/** What the machine of a worker has promised, as far as the database knows. */
export interface Promised {
  /** Executions of the worker itself, by their id. */
  readonly executions: ReadonlyMap<string, Needs>;
  /** Its builds, and what other workers of the machine have promised of what they share. */
  readonly beside: readonly Needs[];
}

const NOTHING: Needs = { cpus: 0, memoryBytes: 0, gpus: 0, gpuType: null };

/**
 * Reads what a worker has been promised: also by a claim whose answer was lost on its way. With what the other workers of
 * its machine have been promised, also those that were killed, until they are given up.
 */
export async function promisedOn(
  transaction: Queries,
  workerId: string,
  { sharesCpus, sharesMemory }: Pick<Machine, 'sharesCpus' | 'sharesMemory'>,
): Promise<Promised> {
  const executions = new Map<string, Needs>();
  const beside: Needs[] = [];
  for (const row of await promisesOf(transaction, workerId, sharesCpus || sharesMemory)) {
    const needs = needsOfRow(row);
    if (row.worker_id !== workerId)
      // GPUs are always its own.
      beside.push({
        ...NOTHING,
        ...(sharesCpus && { cpus: needs.cpus }),
        ...(sharesMemory && { memoryBytes: needs.memoryBytes }),
      });
    else if (row.is_build === 1) beside.push(needs);
    else executions.set(row.id, needs);
  }
  return { executions, beside };
}

// Conditions on the status are literal: SQLite uses a partial index only when it can see that its condition holds.
export function promisesOf(transaction: Queries, workerId: string, ofMachine: boolean) {
  const workers = ofMachine
    ? sql<string>`(select ${workerId} union select id from workers
        where machine = (select machine from workers where id = ${workerId}))`
    : sql<string>`(${workerId})`;
  return transaction
    .selectFrom('executions')
    .select(['id', 'worker_id', 'cpus', 'memory_bytes', 'gpus', 'gpu_type', sql<number>`0`.as('is_build')])
    .where(sql<boolean>`executions.status = 'RUNNING'`)
    .where('worker_id', 'in', workers)
    .unionAll(
      transaction
        .selectFrom('builds')
        .select(['id', 'worker_id', 'cpus', 'memory_bytes'])
        .select([
          sql<number | null>`cast(null as bigint)`.as('gpus'),
          sql<string | null>`cast(null as text)`.as('gpu_type'),
        ])
        .select(sql<number>`1`.as('is_build'))
        .where(sql<boolean>`builds.status in ('PENDING', 'RUNNING') and builds.cpus > 0`)
        .where('worker_id', 'in', workers),
    )
    .execute();
}
