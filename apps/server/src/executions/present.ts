import { toTimestamp, type ServiceExecution } from '@kethub/contract';
import type { StatusRow } from './queries.ts';

/** The status object. */
export function presentStatus(row: StatusRow): ServiceExecution {
  return {
    id: row.id,
    status: row.status,
    createdAt: toTimestamp(row.created_at),
    ...(row.started_at !== null && { startedAt: toTimestamp(row.started_at) }),
    ...(row.ended_at !== null && { endedAt: toTimestamp(row.ended_at) }),
  };
}
