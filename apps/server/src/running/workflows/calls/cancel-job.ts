import { cancelExecution, type Workflows } from '../../executions/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { removeJob } from './queries.ts';

/** Cancels the execution of a job, and removes the job. */
export async function cancelJob(platform: Platform, workflows: Workflows, job: WorkflowJobRow): Promise<void> {
  const row = await platform.database.read
    .selectFrom('executions')
    .select(['owner_type', 'owner_id'])
    .where('id', '=', job.id)
    .executeTakeFirst();
  if (row && row.owner_type !== null && row.owner_id !== null) {
    const of = { by: 'OWNER', type: row.owner_type, id: row.owner_id } as const;
    await cancelExecution(platform, workflows, { of, address: job.address ?? '' }, job.id);
  }
  await platform.database.write((transaction) => removeJob(transaction, job));
}
