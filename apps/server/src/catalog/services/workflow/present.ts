import type { WorkflowDetails, WorkflowProblem } from '@kethub/contract';
import type { WorkflowVersionRow } from '../../../foundation/storage/index.ts';
import { requirementsIn } from './queries.ts';

export type WorkflowColumns = Pick<WorkflowVersionRow, 'application_id' | 'process_id' | 'requirements' | 'problems'>;

export function presentWorkflow(row: WorkflowColumns): WorkflowDetails {
  const needs = requirementsIn(row);
  return {
    processId: row.process_id,
    applicationId: row.application_id,
    problems: JSON.parse(row.problems) as WorkflowProblem[],
    warnings: [...(needs?.warnings ?? [])],
    services: (needs?.services ?? []).map(({ elementId, serviceId, serviceVersion, applicationId }) => ({
      elementId,
      serviceId,
      serviceVersion,
      applicationId: applicationId ?? row.application_id,
    })),
    messages: [
      ...(needs?.messageStarts ?? []).map(({ elementId, messageName: name }) => ({ elementId, name, starts: true })),
      ...(needs?.messages ?? []).map(({ elementId, messageName: name }) => ({ elementId, name, starts: false })),
    ],
    signals: [
      ...(needs?.signalStarts ?? []).map(({ elementId, signalName: name }) => ({ elementId, name, starts: true })),
      ...(needs?.signals ?? []).map(({ elementId, signalName: name }) => ({ elementId, name, starts: false })),
    ],
  };
}
