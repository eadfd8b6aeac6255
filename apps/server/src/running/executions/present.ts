import { toTimestamp, type ServiceExecution } from '@kethub/contract';
import type { StatusRow } from './queries.ts';
import { tagsIn } from './tags.ts';

/** The status object for the owner of the execution. */
export function presentStatus(row: StatusRow): ServiceExecution {
  const execution = presentProgress(row);
  execution.type = row.type;
  if (row.service_id !== null) execution.serviceId = row.service_id;
  execution.serviceDefinitionId = row.service_version_id;
  if (row.application_id !== null) execution.applicationId = row.application_id;
  if (row.tags !== null) execution.tags = tagsIn(row.tags);
  return execution;
}

type ProgressRow = Pick<StatusRow, 'id' | 'status' | 'created_at' | 'started_at' | 'ended_at'>;

/** The status object for the provider of the service and for operators: without its owner and the caller's tags. */
export function presentProgress(row: ProgressRow): ServiceExecution {
  const execution: ServiceExecution = { id: row.id, status: row.status, createdAt: toTimestamp(row.created_at) };
  if (row.started_at !== null) execution.startedAt = toTimestamp(row.started_at);
  if (row.ended_at !== null) execution.endedAt = toTimestamp(row.ended_at);
  return execution;
}
