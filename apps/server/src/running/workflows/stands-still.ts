import { isAmong, type Queries } from '../../foundation/storage/index.ts';

/** Due time of an instance that stands still, in epoch milliseconds: never. */
export const STANDS_STILL = Number.MAX_SAFE_INTEGER;

/** Number of failures in a row after which a timer, or a timer start event, stands still. */
export const TRIES = 20;

/** Makes timers that stand still due again, of instances that were suspended and go on. */
export async function releaseTimers(transaction: Queries, instances: readonly string[], now: number): Promise<void> {
  await transaction
    .updateTable('workflow_timers')
    .set({ due: now, attempts: 0 })
    .where(isAmong(transaction, 'instance_id', instances))
    .where('attempts', '>=', TRIES)
    .execute();
}
