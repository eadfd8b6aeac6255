import type { ServiceRuntime } from '@kethub/contract';
import { sql } from 'kysely';
import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { dialectOf, type Queries } from '../../../foundation/storage/index.ts';
import type { RunningBuild, WaitingBuild } from './plan.ts';

/**
 * The SQL of the queue of builds. Conditions on the status are literals, because SQLite uses a partial index only when
 * the statement shows that its condition holds.
 */

const isOpen = sql<boolean>`builds.status in ('PENDING', 'RUNNING')`;
const isPending = sql<boolean>`builds.status = 'PENDING' and ${isOpen}`;
const isRunning = sql<boolean>`builds.status = 'RUNNING' and ${isOpen}`;

/** Builds of one owner, and builds in all, that one claim reads: the oldest ones. The others wait for a later claim. */
const OF_OWNER = 8;
const MOST = 2_000;
/** Milliseconds for which the last turn of an owner is stored. Afterwards the owner counts as new. */
const TURN_KEPT_MS = 3_600_000;
/** Seconds after which a client may retry an upload that found too many builds. */
const RETRY_AFTER_SECONDS = 30;

function openBuilds(queries: Queries) {
  return queries
    .selectFrom('builds')
    .innerJoin('service_versions', 'service_versions.id', 'service_version_id')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .where(isOpen);
}

/** The oldest waiting builds of every owner, for one of these runtimes. */
export async function waitingBuilds(queries: Queries, runtimes: readonly ServiceRuntime[]): Promise<WaitingBuild[]> {
  const numbered = openBuilds(queries)
    .leftJoin('build_queues', 'build_queues.owner_id', 'services.owner_id')
    .where(isPending)
    .where('service_versions.runtime', 'in', [...runtimes])
    .select(['builds.id', 'services.owner_id', 'builds.created_at', 'turn_at', 'source_digest'])
    .select(
      sql<number>`row_number() over (partition by services.owner_id order by builds.created_at, builds.id)`.as(
        'number',
      ),
    );
  const rows = await queries
    .selectFrom(numbered.as('numbered'))
    .selectAll()
    .where('number', '<=', OF_OWNER)
    .orderBy('number')
    .orderBy('turn_at')
    .limit(MOST)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    createdAt: row.created_at,
    turnAt: row.turn_at ?? 0,
    digest: row.source_digest,
  }));
}

/** Reads the builds that run on all workers. */
export async function runningBuilds(queries: Queries): Promise<RunningBuild[]> {
  const rows = await openBuilds(queries)
    .where(isRunning)
    .select(['services.owner_id', 'builds.worker_id', 'builds.cpus', 'source_digest'])
    .execute();
  return rows.map(({ owner_id, worker_id, cpus, source_digest }) => ({
    ownerId: owner_id,
    workerId: worker_id ?? '',
    cpus: cpus ?? 0,
    digest: source_digest,
  }));
}

/** Records that these owners have had their turn. */
export async function recordTurns(transaction: Queries, ownerIds: readonly string[], now: number): Promise<void> {
  const values = [...new Set(ownerIds)].map((owner_id) => ({ owner_id, turn_at: now }));
  await transaction
    .insertInto('build_queues')
    .values(values)
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ turn_at: now }))
    .execute();
  await transaction
    .deleteFrom('build_queues')
    .where('turn_at', '<', now - TURN_KEPT_MS)
    .execute();
}

/** Returns whether an execution has waited since before this moment (epoch milliseconds). */
export async function executionsWaitSince(queries: Queries, before: number): Promise<boolean> {
  const row = await queries
    .selectFrom('queues')
    .select('owner_id')
    .where(
      sql<boolean>`(select executions.created_at from executions where executions.status = 'PENDING'
        and executions.owner_id = queues.owner_id and executions.service_version_id = queues.service_version_id
        order by executions.created_at, executions.id limit 1) < ${before}`,
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Throws too-many-builds while the maximum of builds waits or runs, of this owner or in all. Builds of the version
 * itself do not count, because the new one replaces them. A lock keeps the decision valid until the transaction ends.
 */
export async function requireBuildSlot(
  { configuration: { buildQueue } }: Pick<Platform, 'configuration'>,
  transaction: Queries,
  ownerId: string,
  versionId: string,
): Promise<void> {
  if (dialectOf(transaction) === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended('new builds of ' || current_schema(), 0))`.execute(
      transaction,
    );
  const { own, all } = await openBuilds(transaction)
    .where('service_version_id', '!=', versionId)
    .select([
      sql<number>`cast(coalesce(sum(case when services.owner_id = ${ownerId} then 1 else 0 end), 0) as integer)`.as(
        'own',
      ),
      sql<number>`cast(count(*) as integer)`.as('all'),
    ])
    .executeTakeFirstOrThrow();
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  if (own >= buildQueue.ofOwner)
    throw new Problem(
      'too-many-builds',
      `${own} of your builds wait or run; at most ${buildQueue.ofOwner} may. Wait until one has ended, or delete a service or replace the source of a draft whose build you do not need.`,
      { headers },
    );
  if (all >= buildQueue.inAll)
    throw new Problem(
      'too-many-builds',
      `${all} builds wait or run on this platform; at most ${buildQueue.inAll} may. Upload again when some of them have ended.`,
      { headers },
    );
}
