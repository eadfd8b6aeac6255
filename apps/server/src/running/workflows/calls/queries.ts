import { sql } from 'kysely';
import {
  interleave,
  isAmong,
  recordsOf,
  type Database,
  type Queries,
  type WorkflowJobRow,
} from '../../../foundation/storage/index.ts';
import type { LeasedJob, RoundRobin } from '../advance/index.ts';
import type { FreeSlots } from './job-slots.ts';

const toDo = sql<boolean>`state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`;

/**
 * Milliseconds, longer than any lease or pause between tries. A job due further ahead was written by a clock that was
 * wrong and was set back since: it is due.
 */
const FAR_MS = 60_000;

/** A job under a lease. Once another process has claimed the job, a write under this lease changes nothing. */
type Leased = Pick<WorkflowJobRow, 'id' | 'lease'>;

/** The due time of the next job that is not due yet and that nobody works on. */
export async function nextDue({ read }: Database, now: number): Promise<number | null> {
  const row = await read
    .selectFrom('workflow_jobs')
    .select('due')
    // Literal: the index is of these only.
    .where(sql<boolean>`${toDo} and due > 0`)
    .where('due', '>', now)
    .where('locked_until', '<=', now)
    .orderBy('due')
    .limit(1)
    .executeTakeFirst();
  return row?.due ?? null;
}

interface DueJob {
  readonly id: string;
  readonly owner: string;
}

/** Finds due jobs, of all owners in turn. Called outside of a transaction, whenever an execution changes. */
export async function dueJobs(
  { read }: Database,
  roundRobin: RoundRobin,
  now: number,
  free: FreeSlots,
): Promise<DueJob[]> {
  const isDue = sql<boolean>`${toDo} and due <= ${now} and ${isFree(now)}`;
  const lists: DueJob[][] = [];
  for (const owner of await roundRobin.next(read, 'workflow_jobs', isDue)) {
    const rows = await read
      .selectFrom('workflow_jobs')
      .select(['id', 'owner'])
      .where('owner', '=', owner)
      .where(isDue)
      .orderBy('due')
      .orderBy('id')
      .limit(Math.max(0, Math.min(free.all, free.of(owner))))
      .execute();
    lists.push(rows);
  }
  return interleave(lists).slice(0, free.all);
}

function isFree(now: number) {
  return sql<boolean>`(locked_until <= ${now} or locked_until > ${now + FAR_MS})`;
}

/** Makes jobs due that a wrong clock has put off. Returns their number. */
export async function undoClock({ read, write }: Database, now: number): Promise<number> {
  const far = sql<boolean>`${toDo} and due > 0 and due > ${now + FAR_MS}`;
  const found = await read.selectFrom('workflow_jobs').select('id').where(far).limit(1).executeTakeFirst();
  if (!found) return 0;
  const { numUpdatedRows } = await write((transaction) =>
    transaction.updateTable('workflow_jobs').set({ due: now }).where(far).executeTakeFirst(),
  );
  return Number(numUpdatedRows);
}

/**
 * Claims jobs that nobody has claimed, under a lease: when this process dies, another claims them. Earlier holders can
 * write nothing of them any more.
 */
export function claimJobs(
  transaction: Queries,
  ids: readonly string[],
  now: number,
  lockedUntil: number,
): Promise<WorkflowJobRow[]> {
  return transaction
    .updateTable('workflow_jobs')
    .set({ locked_until: lockedUntil, lease: sql<number>`lease + 1` })
    .where(isAmong(transaction, 'id', ids))
    .where(toDo)
    .where(isFree(now))
    .returningAll()
    .execute();
}

/** Renews the leases of jobs of this process, except jobs that are done or claimed by another process meanwhile. */
export async function renewLeases(transaction: Queries, jobs: readonly Leased[], lockedUntil: number): Promise<void> {
  const renewed = recordsOf(transaction, jobs, { id: 'text', lease: 'bigint' });
  await sql`update workflow_jobs set locked_until = ${lockedUntil} from ${renewed} as renewed
    where workflow_jobs.id = renewed.id and workflow_jobs.lease = renewed.lease and locked_until > 0`.execute(
    transaction,
  );
}

/** A job whose service is called with this transaction. */
export interface CalledJob extends Leased {
  readonly application_id: string;
  readonly address: string;
}

/** Marks jobs as STARTED. Returns the ids of those neither cancelled nor claimed by another process meanwhile. */
export async function markCalled(transaction: Queries, jobs: readonly CalledJob[]): Promise<ReadonlySet<string>> {
  const fresh = recordsOf(transaction, jobs, { id: 'text', lease: 'bigint', application_id: 'text', address: 'text' });
  const { rows } = await sql<{ id: string }>`update workflow_jobs set state = 'STARTED', due = 0,
      application_id = fresh.application_id, address = fresh.address, input = null, attempts = 0, locked_until = 0
    from ${fresh} as fresh
    where workflow_jobs.id = fresh.id and workflow_jobs.lease = fresh.lease and workflow_jobs.state = 'OPEN'
    returning workflow_jobs.id`.execute(transaction);
  return new Set(rows.map(({ id }) => id));
}

/** Makes a job due later. Returns false when another process has claimed it, or its state has changed. */
export async function postpone(
  transaction: Queries,
  { id, lease, state, attempts }: WorkflowJobRow,
  due: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_jobs')
    .set({ due, attempts: attempts + 1, locked_until: 0 })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('state', '=', state)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function removeJob(transaction: Queries, { id, lease, state }: LeasedJob): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('workflow_jobs')
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('state', '=', state)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
