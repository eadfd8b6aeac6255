import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { findExecution, move, type StatusRow } from './queries.ts';
import { executionNotFound, within, type ExecutionScope } from './scope.ts';
import { executionChanged } from './watch.ts';
import type { Workflows } from './workflows.ts';

const CHANNEL = 'execution-cancelled';

/** Calls back with the id of an execution that any process has cancelled. */
export function onCancelled(platform: Platform, listener: (id: string) => void): () => void {
  return platform.database.listen(CHANNEL, listener);
}

const cancelledCause = {
  type: 'about:blank',
  title: 'Cancelled',
  detail: 'The execution was cancelled before it ended.',
};

/**
 * Cancels a PENDING or RUNNING execution, or a FAILED workflow whose instance is alive. It is CANCELLED at once; its
 * worker ends the processes. An execution that has ended stays as it is. Throws execution-not-found.
 */
export async function cancelExecution(
  platform: Platform,
  workflows: Workflows,
  scope: ExecutionScope,
  id: string,
): Promise<StatusRow> {
  const now = platform.now();
  const cancelled = await platform.database.write(async (transaction) => {
    const values = {
      ended_at: now,
      cancel_requested_at: now,
      cause: JSON.stringify(cancelledCause),
      sealed_secrets: null,
      // An execution that has not started gets an empty log. The worker clears a running one when its processes are
      // gone.
      log: sql<string | null>`case when status = 'PENDING' then '' else log end`,
      input_blob: sql<string | null>`case when status = 'PENDING' then null else input_blob end`,
    };
    const known = await transaction
      .selectFrom('executions')
      .select(['status', 'input_blob', 'result_blob', 'worker_id'])
      .where('id', '=', id)
      .where(within(scope))
      .executeTakeFirst();
    if (!known) return null;
    const workflow = known.worker_id === null ? await workflows.cancel(transaction, id) : null;
    const moved = workflow
      ? await move(transaction, id, 'WORKFLOW_CANCELLED', { ...values, result: workflow.result, result_blob: null })
      : await move(transaction, id, 'CANCELLED', values);
    if (!moved) return null;
    const wasPending = known.status === 'PENDING';
    // The new result of a workflow contains the errors of the old one.
    const replaced = workflow ? known.result_blob : null;
    const unusedBlob = wasPending ? known.input_blob : replaced;
    if (unusedBlob !== null) await markOrphan(transaction, unusedBlob, now);
    return { isWorkflow: workflow !== null, wasPending, unusedBlob };
  });
  if (cancelled) {
    // The worker counts an execution that runs.
    if (cancelled.wasPending) platform.telemetry.metrics?.ended('CANCELLED', null);
    if (cancelled.unusedBlob !== null) await removeOrphans(platform.database, platform.blobs, [cancelled.unusedBlob]);
    if (cancelled.isWorkflow) workflows.wake();
    else platform.database.notify(CHANNEL, id);
    executionChanged(platform.database, id);
  }
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw executionNotFound(scope, id);
  return row;
}
