import type { Value } from '@kethub/workflow';
import type { WorkflowJobRow } from '../../storage/index.ts';
import type { Desk, MadeCall } from './desk.ts';
import type { Call } from './service-call.ts';

/** The service was not started, or has failed: the task raises SERVICE_FAILED. */
export function failJob(
  desk: Desk,
  job: WorkflowJobRow,
  { serviceId, applicationId }: Pick<Call, 'serviceId' | 'applicationId'>,
  response: Value,
  subscriber?: MadeCall['subscriber'],
): Promise<void> {
  return desk.end(job, { type: 'jobFailed', job: job.job, serviceId, applicationId, response }, subscriber);
}
