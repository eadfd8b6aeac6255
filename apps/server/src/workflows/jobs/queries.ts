import type { Event } from '@kethub/workflow';
import { sql } from 'kysely';
import type { Platform } from '../../platform.ts';
import { isAmong, type Database, type Queries, type WorkflowJobRow } from '../../storage/index.ts';
import { eventRow } from '../advance/index.ts';

const toDo = sql<boolean>`state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`;

/** Whether there is any, without a transaction: asked whenever an execution changes. */
export async function isAnyDue({ read }: Database, now: number): Promise<boolean> {
  const row = await read
    .selectFrom('workflow_jobs')
    .select('id')
    .where(toDo)
    .where('due', '<=', now)
    .where('locked_until', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes jobs that are due, for a while: when this process dies, another takes them. */
export function claimJobs(
  { dialect }: Database,
  transaction: Queries,
  now: number,
  lockedUntil: number,
  limit: number,
): Promise<WorkflowJobRow[]> {
  const due = transaction
    .selectFrom('workflow_jobs')
    .select('id')
    .where(toDo)
    .where('due', '<=', now)
    .where('locked_until', '<=', now)
    .orderBy('due')
    .orderBy('id')
    .limit(limit);
  const free = dialect === 'postgres' ? due.forUpdate().skipLocked() : due;
  return transaction
    .with(
      (name) => name('free').materialized(),
      () => free,
    )
    .updateTable('workflow_jobs')
    .set({ locked_until: lockedUntil })
    .where('id', 'in', (query) => query.selectFrom('free').select('free.id'))
    .returningAll()
    .execute();
}

/** Of jobs that somebody works on; one that is done meanwhile is not touched. */
export function renewLeases(transaction: Queries, ids: readonly string[], lockedUntil: number) {
  return transaction
    .updateTable('workflow_jobs')
    .set({ locked_until: lockedUntil })
    .where(isAmong(transaction, 'id', ids))
    .where('locked_until', '>', 0)
    .execute();
}

/** Ends a job and tells its instance what came of it; false when the job is in another state by now, or gone. */
export async function endJob(
  platform: Platform,
  transaction: Queries,
  { id, instance_id, state }: WorkflowJobRow,
  event: Event,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('workflow_jobs')
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) return false;
  await transaction
    .insertInto('workflow_events')
    .values(eventRow(platform, instance_id, event, `job:${id}`))
    .execute();
  return true;
}

/** The execution of a job is written in the same transaction; false when the job was cancelled meanwhile. */
export function markStarted(
  transaction: Queries,
  job: WorkflowJobRow,
  applicationId: string,
  address: string,
): Promise<boolean> {
  return leaveOpen(transaction, job, { state: 'STARTED', application_id: applicationId, address });
}

/** The provider of a service that runs elsewhere has accepted it; false when the job was cancelled meanwhile. */
export function markRemote(
  transaction: Queries,
  job: WorkflowJobRow,
  applicationId: string,
  address: string,
): Promise<boolean> {
  return leaveOpen(transaction, job, { state: 'REMOTE', application_id: applicationId, address, due: 0, attempts: 0 });
}

async function leaveOpen(
  transaction: Queries,
  { id }: WorkflowJobRow,
  values: Partial<WorkflowJobRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_jobs')
    .set({ ...values, input: null, locked_until: 0 })
    .where('id', '=', id)
    .where('state', '=', 'OPEN')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function postpone(transaction: Queries, { id, attempts }: WorkflowJobRow, due: number) {
  return transaction
    .updateTable('workflow_jobs')
    .set({ due, attempts: attempts + 1, locked_until: 0 })
    .where('id', '=', id)
    .execute();
}

export function removeJob(transaction: Queries, { id, state }: WorkflowJobRow) {
  return transaction.deleteFrom('workflow_jobs').where('id', '=', id).where('state', '=', state).execute();
}
