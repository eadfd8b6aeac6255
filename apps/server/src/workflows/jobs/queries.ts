import { sql } from 'kysely';
import { inTurns, isAmong, recordsOf, type Database, type Queries, type WorkflowJobRow } from '../../storage/index.ts';
import type { Turns } from '../advance/index.ts';
import type { Room } from './places.ts';

const toDo = sql<boolean>`state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`;

/** When the next job is due that nobody works on and that is not due yet. */
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

export interface DueJob {
  readonly id: string;
  readonly owner: string;
}

/** The jobs that are due, of the owners in turns; asked outside of a transaction, whenever an execution changes. */
export async function dueJobs({ read }: Database, turns: Turns, now: number, room: Room): Promise<DueJob[]> {
  const isDue = sql<boolean>`${toDo} and due <= ${now} and locked_until <= ${now}`;
  const lists: DueJob[][] = [];
  for (const owner of await turns.next(read, 'workflow_jobs', isDue)) {
    const rows = await read
      .selectFrom('workflow_jobs')
      .select(['id', 'owner'])
      .where('owner', '=', owner)
      .where(isDue)
      .orderBy('due')
      .orderBy('id')
      .limit(Math.max(0, Math.min(room.all, room.of(owner))))
      .execute();
    lists.push(rows);
  }
  return inTurns(lists).slice(0, room.all);
}

/** Takes those of these jobs that nobody else has taken, for a while: when this process dies, another takes them. */
export function claimJobs(
  transaction: Queries,
  ids: readonly string[],
  now: number,
  lockedUntil: number,
): Promise<WorkflowJobRow[]> {
  return transaction
    .updateTable('workflow_jobs')
    .set({ locked_until: lockedUntil })
    .where(isAmong(transaction, 'id', ids))
    .where(toDo)
    .where('locked_until', '<=', now)
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

/** A job whose service was called: its execution is written in the same transaction, or is at a provider's service. */
export interface CalledJob {
  readonly id: string;
  readonly state: 'STARTED' | 'REMOTE';
  readonly application_id: string;
  readonly address: string;
  readonly due: number;
}

/** Returns the ids of those that were not cancelled meanwhile. */
export async function markCalled(transaction: Queries, jobs: readonly CalledJob[]): Promise<ReadonlySet<string>> {
  const fresh = recordsOf(transaction, jobs, {
    id: 'text',
    state: 'text',
    application_id: 'text',
    address: 'text',
    due: 'bigint',
  });
  const { rows } = await sql<{ id: string }>`update workflow_jobs set state = fresh.state, due = fresh.due,
      application_id = fresh.application_id, address = fresh.address, input = null, attempts = 0, locked_until = 0
    from ${fresh} as fresh where workflow_jobs.id = fresh.id and workflow_jobs.state = 'OPEN'
    returning workflow_jobs.id`.execute(transaction);
  return new Set(rows.map(({ id }) => id));
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
