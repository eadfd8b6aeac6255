import type { ServiceExecution } from '@kethub/contract';
import type { StatusRow } from './queries.ts';
import { presentProgress, tagsIn } from '@kethub/service-api';

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
