import { sql, type SqlBool } from 'kysely';
import { dialectOf, type Queries } from '../../foundation/storage/index.ts';

/** True of an execution that was collected, and is no workflow that can be repaired and no task that one waits for. */
export const isOver = sql<SqlBool>`(worker_id is null or log is not null or log_blob is not null)
  and not exists (select 1 from workflow_instances
    where execution_id = executions.id and phase in ('NEW', 'RUNNING'))
  and not exists (select 1 from workflow_jobs where workflow_jobs.id = executions.id)
  and not exists (select 1 from workflow_jobs join workflow_instances on workflow_instances.id = workflow_jobs.instance_id
    where workflow_instances.execution_id = executions.id)`;

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
