import type { Value } from '@kethub/workflow';
import type { Platform } from '../../platform.ts';
import type { WorkflowJobRow } from '../../storage/index.ts';
import { endJob } from './queries.ts';
import type { Call } from './service-call.ts';

/** The service was not started, or has failed: the task raises SERVICE_FAILED. */
export async function failJob(
  platform: Platform,
  job: WorkflowJobRow,
  { serviceId, applicationId }: Pick<Call, 'serviceId' | 'applicationId'>,
  response: Value,
): Promise<void> {
  await platform.database.write((transaction) =>
    endJob(platform, transaction, job, { type: 'jobFailed', job: job.job, serviceId, applicationId, response }),
  );
}
