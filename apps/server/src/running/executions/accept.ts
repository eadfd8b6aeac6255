import { requireReadable } from '../../catalog/datapools/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { Batcher, claimBlob, StatementBatch, type Queries } from '../../foundation/storage/index.ts';
import type { PreparedExecution } from './prepare.ts';
import { insertExecutions, insertTags } from './queries.ts';
import { executionChanged } from './watch.ts';
import type { Workflows } from './workflows.ts';

const CHANNEL = 'execution-pending';

/** Writes executions inside a transaction. Throws data-pool-not-readable. */
export async function acceptExecutions(
  workflows: Workflows,
  transaction: Queries,
  prepared: readonly PreparedExecution[],
): Promise<void> {
  for (const { row, pools } of prepared) {
    await requireReadable(transaction, pools);
    if (row.input_blob !== null) await claimBlob(transaction, row.input_blob);
  }
  const together = new StatementBatch(transaction);
  addExecutions(workflows, together, prepared);
  await together.run();
}

function addExecutions(workflows: Workflows, together: StatementBatch, prepared: readonly PreparedExecution[]): void {
  const rows = prepared.map(({ row }) => row);
  insertExecutions(together, rows);
  insertTags(together, rows);
  workflows.accept(
    together,
    prepared.filter(({ row }) => row.type === 'WORKFLOW'),
  );
}

/** Accepts executions whose transaction does nothing else: those that arrive together share one. */
export type Accepting = Batcher<PreparedExecution, void>;

export function createAccepting({ database }: Platform, workflows: Workflows): Accepting {
  return new Batcher(
    async (prepared) => {
      const arePlain = prepared.every(({ row, pools }) => row.input_blob === null && pools.pools.length === 0);
      await (arePlain
        ? database.writeBatch((together) => addExecutions(workflows, together, prepared))
        : database.write((transaction) => acceptExecutions(workflows, transaction, prepared)));
      return prepared.map(() => undefined);
    },
    ({ row: { owner_type, owner_id } }) => `${owner_type} ${owner_id}`,
  );
}

/** Call it after the transaction: begins the execution, or wakes the workers that may run it. */
export function wakeWorkers(platform: Platform, workflows: Workflows, { row, firstStep }: PreparedExecution): void {
  if (row.type === 'WORKFLOW') executionChanged(platform.database, row.id);
  if (firstStep) firstStep.begin();
  else if (row.type === 'WORKFLOW') workflows.wake();
  else platform.database.notify(CHANNEL, row.id);
}

/** Calls back with the id of an execution of user code that was accepted by any process. */
export function onPending({ database }: Pick<Platform, 'database'>, listener: (id: string) => void): () => void {
  return database.listen(CHANNEL, listener);
}
