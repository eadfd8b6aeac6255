import type { OwnedExecution, ServiceExecution } from '@kethub/contract';
import type { ExecutionRow } from '../../foundation/storage/index.ts';
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

/** The task of a workflow that has started an execution; empty if none has. */
export function taskOf(
  row: Pick<ExecutionRow, 'workflow_id' | 'workflow_task'>,
): Pick<OwnedExecution, 'workflowId' | 'workflowInstanceId' | 'workflowElementId'> {
  if (row.workflow_id === null) return {};
  const [workflowInstanceId, workflowElementId] = row.workflow_task?.split(/ (.*)/s) ?? [];
  return {
    workflowId: row.workflow_id,
    ...(workflowInstanceId !== undefined &&
      workflowElementId !== undefined && { workflowInstanceId, workflowElementId }),
  };
}
