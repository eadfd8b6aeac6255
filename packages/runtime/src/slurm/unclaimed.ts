import type { QueuedJob, Slurm } from './slurm.ts';

/** Tells jobs that nobody waits for from those that somebody does. */
export interface UnclaimedJobs {
  /** Beginning of the names of jobs of all workers. */
  readonly prefix: string;
  /**
   * Returns the names, of those given, of jobs that certainly belong to this installation, and whose execution has ended.
   * Its result and its log are stored. The jobs were in the queue before the question.
   */
  readonly of: (names: readonly string[]) => Promise<readonly string[]>;
}

/** Names in one question. */
const MOST = 1_000;

/**
 * Cancels jobs in the queue whose execution has ended. The data folder of their worker was lost, or Slurm was away when
 * they should have been cancelled. A controller that was killed takes jobs that had ended for running ones.
 */
export class UnclaimedSearch {
  readonly #slurm: Slurm;
  readonly #unclaimed: UnclaimedJobs;
  readonly #warn: (line: string) => void;
  /** Ids of jobs that ran at the last look although their execution had ended. */
  #running: ReadonlySet<string> = new Set();

  constructor(slurm: Slurm, unclaimed: UnclaimedJobs, warn: (line: string) => void) {
    this.#slurm = slurm;
    this.#unclaimed = unclaimed;
    this.#warn = warn;
  }

  /**
   * Cancels those that wait, and those that ran at the last look as well: a job ends some seconds after its execution.
   * `isKept` tells of jobs that are followed, which end by themselves.
   */
  async look(isKept: (name: string) => boolean): Promise<void> {
    const { prefix, of } = this.#unclaimed;
    const jobs = [...(await this.#slurm.queue(prefix))].filter(
      ([name, { state }]) => (state === 'PENDING' || state === 'RUNNING') && !isKept(name),
    );
    const running = new Set<string>();
    for (let from = 0; from < jobs.length; from += MOST) {
      const some = jobs.slice(from, from + MOST);
      const unclaimed = new Set(await of(some.map(([name]) => name)));
      for (const [name, job] of some) {
        if (!unclaimed.has(name)) continue;
        if (job.state === 'RUNNING' && !this.#running.has(job.id)) running.add(job.id);
        else await this.#cancel(name, job);
      }
    }
    this.#running = running;
  }

  async #cancel(name: string, { id, state }: QueuedJob): Promise<void> {
    await this.#slurm.cancel(id, name);
    this.#warn(`job ${id} of Slurm (${name}) is cancelled: it was ${state} for an execution that has ended`);
  }
}
