import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../../catalog/access/index.ts';
import type { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { workflowsToDo } from '../wake.ts';
import type { JobEnvironment } from './job-environment.ts';
import type { Call } from './service-call.ts';
import { pauseAfter } from './retry-policy.ts';
import { postpone } from './queries.ts';
import { RemoteFault } from './remote-fault.ts';

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

/** Postpones a job. When its service does not answer, the instance gets an event for its log. */
export async function delayJob(platform: Platform, job: WorkflowJobRow, error: unknown): Promise<void> {
  const { database, now } = platform;
  const isNews = error instanceof RemoteFault && job.attempts === 0;
  const event = isNews
    ? eventRow(platform, job.instance_id, { type: 'jobDelayed', job: job.job, reason: error.message })
    : null;
  await database.write(async (transaction) => {
    const postponed = await postpone(transaction, job, now() + pauseAfter(job.attempts));
    if (event && postponed) await insertEvents(transaction, [event]);
  });
  if (event) workflowsToDo(database, 'EVENTS');
}
