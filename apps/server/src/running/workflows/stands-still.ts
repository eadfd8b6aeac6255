import { isAmong, type Queries } from '../../foundation/storage/index.ts';

/** When what stands still is due, in epoch milliseconds: never. */
export const STANDS_STILL = Number.MAX_SAFE_INTEGER;

/** How often in a row a timer, or a timer start event, may fail before it stands still. */
export const TRIES = 20;

/** Tries timers that stand still anew, of instances that were held and go on. */
export async function releaseTimers(transaction: Queries, instances: readonly string[], now: number): Promise<void> {
  await transaction
    .updateTable('workflow_timers')
    .set({ due: now, attempts: 0 })
    .where(isAmong(transaction, 'instance_id', instances))
    .where('attempts', '>=', TRIES)
    .execute();
}
