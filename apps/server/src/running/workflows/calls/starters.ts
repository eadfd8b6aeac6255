import { requireReadable, type ReferencedPools } from '../../../catalog/datapools/index.ts';
import type { Queries } from '../../../foundation/storage/index.ts';

/**
 * Requires that everybody who started the workflow can read the data pools of a call, as well as the owner of the
 * application: a task can get the id of a pool from any text.
 *
 * This includes whoever started a workflow that called this one. Throws data-pool-not-readable.
 */
export async function requireReadableByStarters(
  read: Queries,
  instanceId: string,
  pools: ReferencedPools['pools'],
): Promise<void> {
  if (pools.length === 0) return;
  // A grant to the application of the task is no grant to whoever started it.
  const asked = pools.map(({ parameter, id }) => ({ parameter, id }));
  for (let instance: string | undefined = instanceId; instance !== undefined;) {
    const execution = await executionOf(read, instance);
    if (execution?.owner_type && execution.owner_id)
      await requireReadable(read, { reader: { type: execution.owner_type, id: execution.owner_id }, pools: asked });
    instance = execution && (await callerOf(read, execution.id));
  }
}

function executionOf(read: Queries, instanceId: string) {
  return read
    .selectFrom('workflow_instances')
    .innerJoin('executions', 'executions.id', 'workflow_instances.execution_id')
    .select(['executions.id', 'executions.owner_type', 'executions.owner_id'])
    .where('workflow_instances.id', '=', instanceId)
    .executeTakeFirst();
}

/** The instance whose task has started an execution; undefined when no task has. */
async function callerOf(read: Queries, executionId: string): Promise<string | undefined> {
  const job = await read
    .selectFrom('workflow_jobs')
    .select('instance_id')
    .where('id', '=', executionId)
    .executeTakeFirst();
  return job?.instance_id;
}
