import { isFinal } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { isKept } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { removeOrphans, type ExecutionRow, type Queries } from '../../foundation/storage/index.ts';
import { releaseContent } from './release-content.ts';
import { executionNotFound, within, type ExecutionScope } from './scope.ts';
import { executionChanged } from './watch.ts';

/**
 * Deletes an ended execution with its result, result files and log. For a workflow also its instance, its journal and
 * the instances of its call activities are deleted; executions that its tasks have started stay. Charges and the counts
 * of quotas stay as well. Throws execution-not-found, execution-not-ended.
 */
export async function deleteExecution(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  personId: string,
): Promise<void> {
  const { database, now } = platform;
  const unused = await database.write(async (transaction) => {
    const row = await transaction
      .selectFrom('executions')
      .selectAll()
      .where('id', '=', id)
      .where(within(scope))
      .executeTakeFirst();
    if (!row) throw executionNotFound(scope, id);
    await requireEnded(transaction, row);
    const blobs = await releaseContent(transaction, [row], now());
    const { numDeletedRows } = await transaction
      .deleteFrom('executions')
      .where('id', '=', id)
      .where('status', '=', row.status)
      .executeTakeFirst();
    // Another request has deleted it, or repaired the workflow, since the row was read.
    if (numDeletedRows !== 1n) throw executionNotFound(scope, id);
    await record(platform, transaction, row, personId);
    return blobs;
  });
  executionChanged(database, id);
  await removeOrphans(database, platform.blobs, unused);
}

/** Throws execution-not-ended while something is still written to the execution, or a workflow waits for its result. */
async function requireEnded(transaction: Queries, row: ExecutionRow): Promise<void> {
  if (!isFinal(row.status))
    throw new Problem('execution-not-ended', `The execution is ${row.status}. Cancel it first, or wait for its end.`);
  // The worker is still ending the processes and collecting the log.
  if (row.worker_id !== null && !isKept(row))
    throw new Problem(
      'execution-not-ended',
      'The processes of the execution are still ending. Try again in some seconds.',
    );
  const instance = await transaction
    .selectFrom('workflow_instances')
    .select('id')
    .where('execution_id', '=', row.id)
    .where('phase', 'in', ['NEW', 'RUNNING'])
    .limit(1)
    .executeTakeFirst();
  if (instance)
    throw new Problem(
      'execution-not-ended',
      row.status === 'CANCELLED'
        ? 'The workflow is still ending what it runs. Try again in some seconds.'
        : `The workflow is ${row.status} with an incident that can be corrected, so it has not ended. Cancel it first.`,
    );
  const cancelling = await transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflow_instances', 'workflow_instances.id', 'workflow_jobs.instance_id')
    .select('workflow_jobs.id')
    .where('execution_id', '=', row.id)
    .limit(1)
    .executeTakeFirst();
  // The job stores which call to cancel. Without it the call would go on at the provider, and cost money.
  if (cancelling)
    throw new Problem(
      'execution-not-ended',
      'Services that the workflow has called are still being cancelled at their providers. Try again in some seconds; after an hour the platform stops trying.',
    );
  const job = await transaction.selectFrom('workflow_jobs').select('id').where('id', '=', row.id).executeTakeFirst();
  if (job)
    throw new Problem('execution-not-ended', 'The workflow that started the execution has not taken its result yet.');
}

async function record(platform: Platform, transaction: Queries, row: ExecutionRow, personId: string): Promise<void> {
  if (row.owner_type === null || row.owner_id === null) return;
  const context = { type: row.owner_type, id: row.owner_id, role: 'OWNER', personId } as const;
  const detail = { serviceId: row.service_id, status: row.status };
  await audit(platform, transaction, context, 'execution:delete', row.id, detail);
}
