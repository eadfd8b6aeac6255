import { sql } from 'kysely';
import {
  isAmong,
  recordsOf,
  type Queries,
  type Returned,
  type StatementBatch,
} from '../../foundation/storage/index.ts';
import { seenColumns, type SeenRow } from './queries.ts';
import { before } from './transition.ts';

/** The new state of the execution of a workflow. */
export interface Settled {
  readonly id: string;
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  readonly ended_at: number | null;
  /** JSON of the result or of `errors`; null when it is in a blob. */
  readonly result: string | null;
  readonly result_blob: string | null;
  /** Bytes of a result in a blob. */
  readonly result_bytes: number | null;
}

const events = ['WORKFLOW_RUNNING', 'WORKFLOW_SUCCEEDED', 'WORKFLOW_FAILED'] as const;

/** A move that was made. */
export interface Moved extends SeenRow {
  readonly started_at: number;
  /** True if the execution is charged; 0 or 1 on SQLite. */
  readonly isCharged: boolean | number;
}

/**
 * Adds the moves of many executions to a statement batch. Returns the moves that were made; a CANCELLED execution stays
 * so. The ids are a condition beside the records because PostgreSQL estimates their number: for records alone it would
 * scan the table. Hand-over 1 of the state chart in workflows/engine.ts, as for `move`.
 */
export function settleWorkflows(
  together: StatementBatch,
  transaction: Queries,
  rows: readonly Settled[],
): Returned<Moved> {
  if (rows.length === 0) return { rows: [] };
  const fresh = recordsOf(transaction, rows, {
    id: 'text',
    status: 'text',
    ended_at: 'bigint',
    result: 'text',
    result_blob: 'text',
    result_bytes: 'bigint',
  });
  const ids = rows.map(({ id }) => id);
  const seen = sql.join(seenColumns.map((column) => sql.ref(`executions.${column}`)));
  const from = sql.join([...new Set(events.flatMap(before))].map((status) => sql.lit(status)));
  return together.rows(sql<Moved>`update executions set status = fresh.status, ended_at = fresh.ended_at, result = fresh.result,
      result_blob = fresh.result_blob, result_bytes = fresh.result_bytes
    from ${fresh} as fresh where executions.id = fresh.id and ${isAmong(transaction, 'executions.id', ids)}
      and executions.status in (${from})
    returning ${seen}, exists (select 1 from accepted_plans
      where accepted_plans.subscription_id = executions.subscription_id and accepted_plans.type = 'COMMERCIAL') as "isCharged"`);
}
