import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { workflowsToDo } from '../wake.ts';
import { pauseAfter } from './retry-policy.ts';
import { postpone } from './queries.ts';
import { RemoteFault } from './remote-fault.ts';

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
