import { sql } from 'kysely';
import { isAmong, recordsOf, type Queries } from '../storage/index.ts';
import { before } from './transition.ts';

/** What the execution of a workflow has become. */
export interface Settled {
  readonly id: string;
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  readonly ended_at: number | null;
  /** JSON of the result or of `errors`, or the blob with it. */
  readonly result: string | null;
  readonly result_blob: string | null;
}

const events = ['WORKFLOW_RUNNING', 'WORKFLOW_SUCCEEDED', 'WORKFLOW_FAILED'] as const;

/**
 * Makes the moves of many executions that are legal; returns those that were made, and whether they are to be paid for (0 or
 * 1 on SQLite). One that was cancelled stays so. The ids stand beside the records because PostgreSQL knows how many these
 * are: for records it would read the whole of a small table.
 */
export async function settleWorkflows(transaction: Queries, rows: readonly Settled[]) {
  if (rows.length === 0) return [];
  const fresh = recordsOf(transaction, rows, {
    id: 'text',
    status: 'text',
    ended_at: 'bigint',
    result: 'text',
    result_blob: 'text',
  });
  const ids = rows.map(({ id }) => id);
  const from = sql.join([...new Set(events.flatMap(before))].map((status) => sql.lit(status)));
  const { rows: moved } = await sql<{
    id: string;
    status: Settled['status'];
    started_at: number;
    isCharged: boolean | number;
  }>`update executions set status = fresh.status, ended_at = fresh.ended_at, result = fresh.result,
      result_blob = fresh.result_blob
    from ${fresh} as fresh where executions.id = fresh.id and ${isAmong(transaction, 'executions.id', ids)}
      and executions.status in (${from})
    returning executions.id, executions.status, executions.started_at, exists (select 1 from accepted_plans
      where accepted_plans.subscription_id = executions.subscription_id and accepted_plans.type = 'COMMERCIAL') as "isCharged"
    `.execute(transaction);
  return moved;
}
