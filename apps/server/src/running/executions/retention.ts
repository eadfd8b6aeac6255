import { sql, type SqlBool } from 'kysely';
import { dialectOf, type Queries } from '../../foundation/storage/index.ts';

/** True of an execution that was collected, and is no workflow that can be repaired and no task that one waits for. */
const isOver = sql<SqlBool>`(worker_id is null or log is not null or log_blob is not null)
  and not exists (select 1 from workflow_instances
    where execution_id = executions.id and phase in ('NEW', 'RUNNING'))
  and not exists (select 1 from workflow_jobs where workflow_jobs.id = executions.id)
  and not exists (select 1 from workflow_jobs join workflow_instances on workflow_instances.id = workflow_jobs.instance_id
    where workflow_instances.execution_id = executions.id)`;

/** Executions of one transaction, so that no other write waits for long. */
const BATCH = 50;
/** Result files of one transaction; an execution with more has one of its own. */
const BATCH_FILES = 1_000;

/** Number of the result files of an execution. */
const filesOf = sql<number>`(select count(*) from execution_files where execution_id = executions.id)`;

/** The first executions of a batch, up to those whose files are too many for one transaction. */
function withinBatch<T extends { readonly files: number }>(due: readonly T[]): T[] {
  let files = 0;
  const end = due.findIndex((row, at) => (files += row.files) > BATCH_FILES && at > 0);
  return end < 0 ? [...due] : due.slice(0, end);
}

/** Executions that ended before a time and are over. */
export function endedBefore(queries: Queries, before: number) {
  return queries.selectFrom('executions').where('ended_at', '<', before).where(isOver);
}

/** Locks the first of these executions that fit into one transaction. Their owner may delete some at the same time. */
export async function lockBatch(transaction: Queries, query: ReturnType<typeof endedBefore>) {
  const first = query
    .select(['executions.id', 'input_blob', 'result_blob', 'log_blob', filesOf.as('files')])
    .limit(BATCH);
  const due = await (
    dialectOf(transaction) === 'postgres' ? first.forUpdate('executions').skipLocked() : first
  ).execute();
  return withinBatch(due);
}

/** Returns whether no other process deletes by age at the moment. Holds until the end of the transaction. */
export async function isAlone(transaction: Queries): Promise<boolean> {
  // SQLite has one process.
  if (dialectOf(transaction) === 'sqlite') return true;
  const { rows } = await sql<{ is_alone: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('retention of ' || current_schema(), 0)) as is_alone`.execute(
    transaction,
  );
  return rows[0]?.is_alone === true;
}
