import { sql } from 'kysely';
import { recordsOf, type Queries, type WorkflowJobRow } from '../../../foundation/storage/index.ts';

/**
 * The start of a service that runs elsewhere, as it is stored. Before it is sent, the job is CALLING and belongs to the
 * process that sends it, without a time limit.
 *
 * So a process that stood still goes on with the answer, and nobody sends the start again meanwhile. A job that is
 * cancelled on the way is WITHDRAWN, and CANCELLING once the answer is stored.
 */
export interface Sending extends Pick<WorkflowJobRow, 'id' | 'lease'> {
  readonly caller: string;
  readonly application_id: string;
  readonly service_version_id: string;
}

/** An answer with the address of the execution that it has started. */
export interface Answered {
  readonly id: string;
  readonly caller: string;
  readonly address: string;
  readonly due: number;
}

/** The id of one process of one worker, as the sender of starts. */
export function callerOf(workerId: string, processId: string): string {
  return `${workerId}/${processId}`;
}

/**
 * Marks starts before they are sent. Returns the states of the jobs that may be sent: neither cancelled nor taken by
 * another process.
 */
export async function markCalling(
  transaction: Queries,
  jobs: readonly Sending[],
): Promise<ReadonlyMap<string, WorkflowJobRow['state']>> {
  const fresh = recordsOf(transaction, jobs, {
    id: 'text',
    lease: 'bigint',
    caller: 'text',
    application_id: 'text',
    service_version_id: 'text',
  });
  const { rows } = await sql<Pick<WorkflowJobRow, 'id' | 'state'>>`update workflow_jobs
    set state = case workflow_jobs.state when 'OPEN' then 'CALLING' else 'WITHDRAWN' end, due = 0, locked_until = 0,
      caller = fresh.caller, application_id = fresh.application_id, service_version_id = fresh.service_version_id
    from ${fresh} as fresh where workflow_jobs.id = fresh.id and workflow_jobs.lease = fresh.lease
      and (workflow_jobs.state = 'OPEN' or (workflow_jobs.state = 'CANCELLING' and workflow_jobs.address is null))
    returning workflow_jobs.id, workflow_jobs.state`.execute(transaction);
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/**
 * Stores answers. Returns the states of the jobs: REMOTE, or CANCELLING when they were cancelled on the way. Jobs that
 * are gone are left out.
 */
export async function markAnswered(
  transaction: Queries,
  jobs: readonly Answered[],
): Promise<ReadonlyMap<string, WorkflowJobRow['state']>> {
  const fresh = recordsOf(transaction, jobs, { id: 'text', caller: 'text', address: 'text', due: 'bigint' });
  await sql`update workflow_jobs
    set state = case workflow_jobs.state when 'CALLING' then 'REMOTE' else 'CANCELLING' end,
      due = case workflow_jobs.state when 'CALLING' then fresh.due else 0 end,
      address = fresh.address, input = null, attempts = 0, locked_until = 0, caller = null
    from ${fresh} as fresh where workflow_jobs.id = fresh.id and workflow_jobs.caller = fresh.caller`.execute(
    transaction,
  );
  // Includes answers that were written before, by a commit whose own answer was lost.
  const { rows } = await sql<Pick<WorkflowJobRow, 'id' | 'state'>>`select job.id, job.state
    from workflow_jobs as job join ${fresh} as fresh on job.id = fresh.id and job.address = fresh.address`.execute(
    transaction,
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/**
 * Marks a job to be called again at `due`, because the service has certainly not begun. Returns false when it was
 * cancelled on the way.
 */
export async function reopen(
  transaction: Queries,
  { id, caller, attempts }: WorkflowJobRow,
  from: 'CALLING' | 'WITHDRAWN',
  due: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_jobs')
    .set({
      state: from === 'CALLING' ? 'OPEN' : 'CANCELLING',
      ...(from === 'CALLING' && { application_id: null }),
      caller: null,
      due,
      attempts: attempts + 1,
      locked_until: 0,
    })
    .where('id', '=', id)
    .where('caller', '=', caller)
    .where('state', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Removes a job that was cancelled on the way and has nothing to cancel. Returns false when it was not cancelled. */
export async function withdraw(transaction: Queries, { id, caller }: WorkflowJobRow): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('workflow_jobs')
    .where('id', '=', id)
    .where('caller', '=', caller)
    .where('state', '=', 'WITHDRAWN')
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/**
 * Takes over the starts of earlier processes of this worker, which are dead: only one process at a time has the data
 * folder.
 *
 * They are sent again under the same Idempotency-Key. A cancelled one is cancelled once its id is known.
 */
export async function adoptCalls(transaction: Queries, workerId: string, caller: string): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_jobs')
    .set({
      state: sql<WorkflowJobRow['state']>`case state when 'CALLING' then 'OPEN' else 'CANCELLING' end`,
      caller: null,
      due: 0,
      locked_until: 0,
    })
    .where(ofWorker(workerId))
    .where('caller', '<>', caller)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The starts that processes of a worker have sent without storing an answer. */
export function callsOf(queries: Queries, workerId: string): Promise<WorkflowJobRow[]> {
  return queries.selectFrom('workflow_jobs').selectAll().where(ofWorker(workerId)).orderBy('id').execute();
}

function ofWorker(workerId: string) {
  return sql<boolean>`caller >= ${callerOf(workerId, '')} and caller < ${`${workerId}0`}`;
}
