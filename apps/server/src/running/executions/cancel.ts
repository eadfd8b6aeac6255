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

export const cancelledCause = {
  type: 'about:blank',
  title: 'Cancelled',
  detail: 'The execution was cancelled before it ended.',
};

/**
 * Cancels a PENDING or RUNNING execution, also a FAILED one of a workflow whose instance lives. It is CANCELLED at once; the worker that runs it ends its processes.
 * One that has ended stays as it is, and its status says so. Throws execution-not-found.
 */
export async function cancelExecution(
  platform: Platform,
  workflows: Workflows,
  scope: ExecutionScope,
  id: string,
): Promise<StatusRow> {
  const now = platform.now();
  const happened = await platform.database.write(async (transaction) => {
    const values = {
      ended_at: now,
      cancel_requested_at: now,
      cause: JSON.stringify(cancelledCause),
      sealed_secrets: null,
      // What has not started has an empty log and needs no input; what runs is cleared away by its worker once its
      // processes are gone.
      log: sql<string | null>`case when status = 'PENDING' then '' else log end`,
      input: sql<string | null>`case when status = 'PENDING' then null else input end`,
      input_blob: sql<string | null>`case when status = 'PENDING' then null else input_blob end`,
    };
    const known = await transaction
      .selectFrom('executions')
      .select(['status', 'input_blob', 'result_blob', 'worker_id'])
      .where('id', '=', id)
      .where(within(scope))
      .executeTakeFirst();
    if (!known) return null;
    const ofWorkflow = known.worker_id === null ? await workflows.cancel(transaction, id) : null;
    const isWorkflow = ofWorkflow !== null;
    const happened = ofWorkflow
      ? await move(transaction, id, 'WORKFLOW_CANCELLED', { ...values, result: ofWorkflow.result, result_blob: null })
      : await move(transaction, id, 'CANCELLED', values);
    if (!happened) return null;
    const waited = known.status === 'PENDING';
    // Of a workflow that had failed: its errors stand in the new result.
    const replaced = isWorkflow ? known.result_blob : null;
    const unusedBlob = waited ? known.input_blob : replaced;
    if (unusedBlob !== null) await markOrphan(transaction, unusedBlob, now);
    return { isWorkflow, waited, unusedBlob };
  });
  if (happened) {
    // What runs is counted by its worker.
    if (happened.waited) platform.telemetry.metrics?.ended('CANCELLED', null);
    if (happened.unusedBlob !== null) await removeOrphans(platform.database, platform.blobs, [happened.unusedBlob]);
    if (happened.isWorkflow) workflows.wake();
    else platform.database.notify(CHANNEL, id);
    executionChanged(platform.database, id);
  }
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw executionNotFound(scope, id);
  return row;
}
