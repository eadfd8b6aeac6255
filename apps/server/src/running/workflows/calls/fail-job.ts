import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../../catalog/access/index.ts';
import type { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { JobEnvironment } from './job-environment.ts';
import type { Call } from './service-call.ts';

/** Ends a job whose service was not started or has failed: the task raises SERVICE_FAILED. */
export function failJob(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  { serviceId, applicationId }: Pick<Call, 'serviceId' | 'applicationId'>,
  response: Value,
): Promise<void> {
  return environment.end(job, { type: 'jobFailed', job: job.job, serviceId, applicationId, response });
}

/** The problem document that the gateway would have answered. */
export function documentOf({ addresses }: Platform, problem: Problem, subscriber: Subscriber | null): Value {
  const { pathname } = new URL(subscriber ? `${subscriber.address}/` : addresses.gateway);
  return problem.document(addresses.problems, pathname);
}
