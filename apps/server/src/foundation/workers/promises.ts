import { setTimeout as pause } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Platform } from '../platform.ts';
import { dialectOf, type Database, type Queries } from '../storage/index.ts';
import { needsOfRow, type Machine, type Needs } from './capacity.ts';

/** Milliseconds after which PostgreSQL ends an idle claim, whose machine or network has failed, and others go on. */
const LONGEST_CLAIM_MS = 5_000;

const setTimeLimit = sql`set_config('idle_in_transaction_session_timeout', ${String(LONGEST_CLAIM_MS)}, true)`;
const lockOfClaims = sql`hashtextextended('claims of ' || current_schema(), 0)`;

/** Waits for the claims under way, and keeps others out until the end of the transaction. */
export async function lockClaims(transaction: Queries): Promise<void> {
  // SQLite has one writer.
  if (dialectOf(transaction) === 'sqlite') return;
  await sql`select ${setTimeLimit}, pg_advisory_xact_lock(${lockOfClaims})`.execute(transaction);
}

async function tryLockClaims(transaction: Queries): Promise<boolean> {
  if (dialectOf(transaction) === 'sqlite') return true;
  const lock = sql<{ locked: boolean }>`select ${setTimeLimit}, pg_try_advisory_xact_lock(${lockOfClaims}) as locked`;
  const { rows } = await lock.execute(transaction);
  return rows[0]?.locked === true;
}

/** Found by {@link unlessClaiming} while a worker claims. */
export const CLAIMING = 1;

/** For the poll of workers: null if nothing is due, {@link CLAIMING} while a worker claims, otherwise 0. It waits for no lock. */
export function unlessClaiming({ dialect }: Pick<Database, 'dialect'>, due: RawBuilder<number | null>) {
  if (dialect === 'sqlite') return due;
  return sql<number | null>`(case when ${due} is not null
    then case when pg_try_advisory_xact_lock_shared(${lockOfClaims}) then 0 else ${sql.lit(CLAIMING)} end end)`;
}

/**
 * Claims while something waits. One worker claims at a time, executions or builds: each must see what the last one has
 * promised. The others do not queue for the lock, or hundreds of workers would look one after the other for the same
 * execution. They try again after a random time, which grows, and mostly nothing waits then. One of many workers that
 * only follows a hint does not try again.
 */
export async function claimExclusively<Claimed>(
  { database, pace }: Pick<Platform, 'database' | 'pace'>,
  somethingWaits: () => Promise<boolean>,
  claim: (transaction: Queries) => Promise<readonly Claimed[]>,
  isHint = false,
): Promise<readonly Claimed[]> {
  for (let refused = 1; await somethingWaits(); refused++) {
    const claimed = await database.write(async (transaction) =>
      (await tryLockClaims(transaction)) ? claim(transaction) : null,
    );
    if (claimed) return claimed;
    if (isHint && pace.isOneOfMany) break;
    await pause(pace.turnMs(refused));
  }
  return [];
}

/** The promises of a worker's machine in the database. */
export interface Promised {
  /** Executions of the worker itself, by id. */
  readonly executions: ReadonlyMap<string, Needs>;
  /** Builds of the worker, and what other workers of the machine have promised of shared resources. */
  readonly beside: readonly Needs[];
}

const NOTHING: Needs = { cpus: 0, memoryBytes: 0, gpus: 0, gpuType: null };

/**
 * Reads the promises of a worker, including those of a claim whose answer was lost. Promises of other workers on its
 * machine count as well, also those of a killed worker until its work is declared lost.
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
      // GPUs are never shared between workers.
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

// Conditions on the status are literals: SQLite uses a partial index only if it can see that its condition holds.
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
