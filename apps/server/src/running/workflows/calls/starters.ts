import { requireReadable, type ReferencedPools } from '../../../catalog/datapools/index.ts';
import type { Queries } from '../../../foundation/storage/index.ts';

/**
 * A task can be given the id of a data pool from anywhere, also from a text of the input: whoever has started the workflow,
 * and whoever has started the one that has called it, has to be able to read the pool as well as the owner of the
 * application that calls the service. Throws data-pool-not-readable.
 */
export async function requireReadableByStarters(
  read: Queries,
  instanceId: string,
  pools: ReferencedPools['pools'],
): Promise<void> {
  if (pools.length === 0) return;
  // What somebody has granted to the application of the task, they have not granted to whoever started it.
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

/** The instance whose task has started an execution; undefined when it was no task. */
async function callerOf(read: Queries, executionId: string): Promise<string | undefined> {
  const job = await read
    .selectFrom('workflow_jobs')
    .select('instance_id')
    .where('id', '=', executionId)
    .executeTakeFirst();
  return job?.instance_id;
}
