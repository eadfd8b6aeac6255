import type { Slurm } from './slurm.ts';

/** Tells jobs that nobody waits for from those that somebody does. */
export interface UnclaimedJobs {
  /** Beginning of the names of jobs of all workers. */
  readonly prefix: string;
  /**
   * Returns the names, of those given, of jobs that certainly belong to this installation, and whose execution has ended.
   * The jobs were in the queue before the question.
   */
  readonly of: (names: readonly string[]) => Promise<readonly string[]>;
}

/** Jobs that are looked at in one turn. Further ones come when these have left the queue. */
const MOST = 1_000;

/**
 * Cancels jobs that wait in the queue for an execution that has ended. The data folder of their worker was lost, or Slurm
 * was away when they should have been cancelled. `isKept` tells of jobs that are followed, which end by themselves.
 */
export async function cancelUnclaimed(
  slurm: Slurm,
  { prefix, of }: UnclaimedJobs,
  isKept: (name: string) => boolean,
  warn: (line: string) => void,
): Promise<void> {
  const waiting = [...(await slurm.queue(prefix))]
    .filter(([name, { state }]) => state === 'PENDING' && !isKept(name))
    .slice(0, MOST);
  if (waiting.length === 0) return;
  const unclaimed = new Set(await of(waiting.map(([name]) => name)));
  for (const [name, { id }] of waiting) {
    if (!unclaimed.has(name)) continue;
    await slurm.cancel(id, name);
    warn(`job ${id} of Slurm (${name}) is cancelled: it waited for an execution that has ended`);
  }
}
