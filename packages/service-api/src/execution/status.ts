import { toTimestamp, type ExecutionStatus, type ServiceExecution } from '@kethub/contract';

/** The columns of an execution that its status object shows. Times are epoch milliseconds. */
export interface Progress {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** The status object without the owner of the execution and the caller's tags. */
export function presentProgress(row: Progress): ServiceExecution {
  const execution: ServiceExecution = { id: row.id, status: row.status, createdAt: toTimestamp(row.created_at) };
  if (row.started_at !== null) execution.startedAt = toTimestamp(row.started_at);
  if (row.ended_at !== null) execution.endedAt = toTimestamp(row.ended_at);
  return execution;
}
