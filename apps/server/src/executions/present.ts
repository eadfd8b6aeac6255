import { toTimestamp, type ServiceExecution } from '@kethub/contract';
import type { StatusRow } from './queries.ts';

/** The status object. */
export function presentStatus(row: StatusRow): ServiceExecution {
  const execution: ServiceExecution = { id: row.id, status: row.status, createdAt: toTimestamp(row.created_at) };
  if (row.started_at !== null) execution.startedAt = toTimestamp(row.started_at);
  if (row.ended_at !== null) execution.endedAt = toTimestamp(row.ended_at);
  return execution;
}
