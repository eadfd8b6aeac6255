import { sql, type InferResult } from 'kysely';
import { dialectOf, isAmong, type ExecutionRow, type Queries } from '../../../foundation/storage/index.ts';
import type { Needs } from '../../../foundation/workers/index.ts';
import { after } from '../transition.ts';
import type { Queue, Running } from './situation.ts';

/**
 * The SQL of scheduling. Conditions on the status are literal: SQLite uses a partial index only when its condition
 * follows from the statement, and not from a parameter.
 */

const isPending = sql<boolean>`executions.status = 'PENDING'`;
const isRunning = sql<boolean>`executions.status = 'RUNNING'`;

/** Executions that use resources of any worker: those that run, and cancelled ones whose processes are still alive. */
export async function runningEverywhere(transaction: Queries, now: number): Promise<Running[]> {
  const rows = await runningByOwner(transaction)
    .unionAll(endingByOwner(transaction, now))
    .unionAll(buildsByOwner(transaction))
    .execute();
  return rows.map(({ owner_id, service_id, executions, cpus, memory }) => ({
    ownerId: owner_id ?? '',
    serviceId: service_id,
    executions,
    cpus,
    memoryBytes: memory,
  }));
}

/** Executions that use a machine; a workflow uses none. Answered from an index alone. */
export function runningByOwner(queries: Queries) {
  return (
    sumsByOwner(queries)
      .where(isRunning)
      // With `is not null` SQLite would walk through all running workflows.
      .where('worker_id', '>', '')
  );
}

/**
 * Cancelled executions whose processes are still alive. They count, or an owner who cancels could run more than its
 * share. Ends come within seconds; those of a lost worker stop counting.
 */
export function endingByOwner(queries: Queries, now: number) {
  return sumsByOwner(queries)
    .where(isEnding)
    .where('ended_at', '>', now - LONGEST_END_MS);
}

/** Running builds, which use resources of a machine beside executions. */
function buildsByOwner(queries: Queries) {
  return queries
    .selectFrom('builds')
    .innerJoin('service_versions', 'service_versions.id', 'service_version_id')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select([
      sql<string | null>`services.owner_id`.as('owner_id'),
      sql<string | null>`cast(null as text)`.as('service_id'),
    ])
    .select([
      sql<number>`0`.as('executions'),
      sql<number>`cast(sum(builds.cpus) as double precision)`.as('cpus'),
      sql<number>`cast(sum(builds.memory_bytes) as double precision)`.as('memory'),
    ])
    .where(sql<boolean>`builds.status in ('PENDING', 'RUNNING') and builds.cpus > 0`)
    .groupBy('services.owner_id');
}

const LONGEST_END_MS = 60_000;
const isEnding = sql<boolean>`executions.status = 'CANCELLED' and executions.worker_id is not null
  and executions.log is null and executions.log_blob is null`;

function sumsByOwner(queries: Queries) {
  return queries
    .selectFrom('executions')
    .select(['owner_id', 'service_id'])
    .select([
      sql<number>`count(*)`.as('executions'),
      sql<number>`cast(coalesce(sum(cpus), 0) as double precision)`.as('cpus'),
      sql<number>`cast(coalesce(sum(memory_bytes), 0) as double precision)`.as('memory'),
    ])
    .groupBy(['owner_id', 'service_id']);
}

/** Filters the services that run as many executions as they may. */
export async function fullServices(transaction: Queries, running: readonly Running[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { serviceId, executions } of running)
    if (serviceId !== null) counts.set(serviceId, (counts.get(serviceId) ?? 0) + executions);
  if (counts.size === 0) return [];
  const rows = await transaction
    .selectFrom('service_limits')
    .select(['service_id', 'executions_at_once'])
    .where('executions_at_once', 'is not', null)
    .where(isAmong(transaction, 'service_id', [...counts.keys()]))
    .execute();
  return rows.flatMap(({ service_id, executions_at_once }) =>
    (counts.get(service_id) ?? 0) >= (executions_at_once ?? Infinity) ? [service_id] : [],
  );
}

/** A page of queues. */
export interface Page {
  readonly limit: number;
  /** Includes queues that need a container engine. */
  readonly containers: boolean;
  /** The last queue of the page before. */
  readonly after?:
    | { readonly turn_at: number; readonly owner_id: string; readonly service_version_id: string }
    | undefined;
  readonly withoutOwners?: readonly string[];
  readonly withoutServices?: readonly string[];
}

/** Queues that have waited longest for a start, each with its oldest execution: one index look-up per queue. */
export function queuesByTurn(queries: Queries, page: Page) {
  const { limit, containers, after, withoutOwners = [], withoutServices = [] } = page;
  const inContainers = queries.selectFrom('service_versions').select('id').where('runtime', '=', 'DOCKER');
  let query = queries
    .selectFrom('queues')
    .leftJoin('service_limits', 'service_limits.service_id', 'queues.service_id')
    .selectAll('queues')
    .select(['executions_at_once', oldest('id').as('head'), oldest('created_at').as('head_created_at')])
    .orderBy('turn_at')
    .orderBy('queues.owner_id')
    .orderBy('queues.service_version_id')
    .limit(limit);
  if (!containers) query = query.where('queues.service_version_id', 'not in', inContainers);
  if (after)
    query = query.where(
      sql<boolean>`(turn_at, queues.owner_id, queues.service_version_id) >
        (${after.turn_at}, ${after.owner_id}, ${after.service_version_id})`,
    );
  if (withoutOwners.length > 0)
    query = query.where(({ not }) => not(isAmong(queries, 'queues.owner_id', withoutOwners)));
  if (withoutServices.length > 0)
    query = query.where(({ not, or, eb }) =>
      or([eb('queues.service_id', 'is', null), not(isAmong(queries, 'queues.service_id', withoutServices))]),
    );
  return query;
}
export type QueueWithHead = InferResult<ReturnType<typeof queuesByTurn>>[number];

function oldest<Column extends 'id' | 'created_at'>(column: Column) {
  return sql<ExecutionRow[Column] | null>`(select ${sql.ref(column)} from executions
    where ${isPending} and executions.owner_id = queues.owner_id
    and executions.service_version_id = queues.service_version_id
    order by executions.created_at, executions.id limit 1)`;
}

/** The configurations of versions, and the number of their change. */
export function configurationsOf(transaction: Queries, versionIds: readonly string[]) {
  return transaction
    .selectFrom('service_versions')
    .select(['id', 'state', 'configuration'])
    .where(isAmong(transaction, 'id', versionIds))
    .execute();
}

/** Claims the oldest executions of a queue for a worker and stores their resources. Skips those being cancelled. */
export function claimOldest(
  transaction: Queries,
  { ownerId, versionId, runTimeSeconds }: Pick<Queue, 'ownerId' | 'versionId' | 'runTimeSeconds'>,
  claim: { readonly workerId: string; readonly now: number; readonly given: Needs; readonly limit: number },
) {
  const { workerId, now, given, limit } = claim;
  const first = transaction
    .selectFrom('executions')
    .select('id')
    .where(isPending)
    .where('owner_id', '=', ownerId)
    .where('service_version_id', '=', versionId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  const free = dialectOf(transaction) === 'postgres' ? first.forUpdate().skipLocked() : first;
  const promised = {
    cpus: given.cpus,
    memory_bytes: given.memoryBytes,
    gpus: given.gpus,
    gpu_type: given.gpuType,
    run_seconds: runTimeSeconds,
  };
  // Materialized: as a plain subquery PostgreSQL may evaluate it more than once and take more than `limit`.
  return (
    transaction
      .with(
        (name) => name('oldest').materialized(),
        () => free,
      )
      .updateTable('executions')
      .set({ status: after('CLAIMED'), started_at: now, worker_id: workerId, ...promised })
      // Nothing more of these rows, which are locked: a status here would let PostgreSQL read all that wait.
      .where('id', 'in', (query) => query.selectFrom('oldest').select('oldest.id'))
      .returningAll()
  );
}

/** Returns whether some queue may have an execution that waits. In the order of an index: an emptied table has many dead rows. */
export async function somethingWaits(queries: Queries): Promise<boolean> {
  const first = queries.selectFrom('queues').select('owner_id').orderBy('turn_at').limit(1);
  return (await first.executeTakeFirst()) !== undefined;
}

/** The same for the poll of workers. */
export const queuesWait = sql<number | null>`(select 0 from queues order by turn_at limit 1)`;

/** Stores that these owners have had a start. */
export async function recordTurns(transaction: Queries, ownerIds: readonly string[], now: number): Promise<void> {
  await transaction
    .updateTable('queues')
    .set({ turn_at: now })
    .where(isAmong(transaction, 'owner_id', ownerIds))
    .execute();
}

/**
 * Deletes an empty queue. The first statement locks its row and skips a queue that a transaction is adding to. The
 * second one sees everything committed before that lock, and deletes the queue only if it is empty.
 */
export async function removeEmpty(
  transaction: Queries,
  { ownerId: owner_id, versionId: service_version_id }: Pick<Queue, 'ownerId' | 'versionId'>,
): Promise<void> {
  if (dialectOf(transaction) === 'postgres') {
    const locked = await transaction
      .selectFrom('queues')
      .select('owner_id')
      .where('owner_id', '=', owner_id)
      .where('service_version_id', '=', service_version_id)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!locked) return;
  }
  await transaction
    .deleteFrom('queues')
    .where('owner_id', '=', owner_id)
    .where('service_version_id', '=', service_version_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('executions')
            .select('id')
            .where(isPending)
            .where('executions.owner_id', '=', owner_id)
            .where('executions.service_version_id', '=', service_version_id),
        ),
      ),
    )
    .execute();
}
