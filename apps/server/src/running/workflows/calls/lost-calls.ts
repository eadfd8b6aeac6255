import type { ServiceReference } from '@kethub/workflow';
import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { workflowsToDo } from '../wake.ts';
import { noteAbandoned } from './abandon.ts';
import { callsOf } from './calls.ts';

const OUTCOME_UNKNOWN = {
  type: 'about:blank',
  title: 'Outcome unknown',
  detail:
    'The machine that called the service went away before it had stored the answer. The service may be at work; it is not called again.',
};

/** Fails the starts of a worker that does not come back: nobody knows whether the services have begun. */
export async function giveUpCalls(platform: Platform, workerId: string): Promise<void> {
  const { database, log } = platform;
  const calls = await callsOf(database.read, workerId);
  for (const job of calls) await giveUp(platform, job);
  if (calls.length === 0) return;
  log.error({ worker: workerId, jobs: calls.length }, 'calls of tasks were lost with their worker');
  workflowsToDo(database, 'EVENTS');
}

function giveUp(platform: Platform, job: WorkflowJobRow): Promise<void> {
  return platform.database.write(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('workflow_jobs')
      .where('id', '=', job.id)
      .where('caller', '=', job.caller)
      .where('state', '=', job.state)
      .executeTakeFirst();
    if (numDeletedRows !== 1n) return;
    if (job.state === 'WITHDRAWN') return noteAbandoned(platform, transaction, job, OUTCOME_UNKNOWN.detail);
    const { serviceId } = JSON.parse(job.service) as ServiceReference;
    const called = { job: job.job, serviceId, applicationId: job.application_id ?? '' };
    const event = { type: 'jobFailed', ...called, response: OUTCOME_UNKNOWN } as const;
    await insertEvents(transaction, [eventRow(platform, job.instance_id, event)]);
  });
}
