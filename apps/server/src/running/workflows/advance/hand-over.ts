import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { Effects } from './effects.ts';

/** Whoever works on jobs in this process, and can begin with new ones in the moment in which they are on disk. */
export interface JobExecutor {
  /** Keeps a place for a job of this owner, and says until when the job is nobody else's; null when it has to wait. */
  reserve(owner: string): number | null;
  /** Gives a place back that was kept for nothing. */
  release(owner: string): void;
  /** Begins with jobs that have a place. */
  begin(jobs: readonly WorkflowJobRow[]): void;
}

/**
 * The new jobs of a batch that this process begins with itself: written as its own, they need not be looked for and taken
 * in a transaction more. Should it die, others take them when their time is over.
 */
export class HandOver {
  readonly #executor: JobExecutor | null;
  #taken: WorkflowJobRow[] = [];

  constructor(executor: JobExecutor | null) {
    this.#executor = executor;
  }

  /** Before the jobs are written. What the same batch takes back is not begun with. */
  reserve({ jobs, jobsToCancel }: Effects, givenUp: ReadonlySet<string>): void {
    // A transaction may be tried again.
    this.release();
    const cancelled = new Set(jobsToCancel.map(({ instance_id, number }) => `${instance_id} ${number}`));
    for (const job of jobs) {
      if (givenUp.has(job.instance_id) || cancelled.has(`${job.instance_id} ${job.job}`)) continue;
      const until = this.#executor?.reserve(job.owner) ?? null;
      if (until === null) continue;
      job.locked_until = until;
      this.#taken.push(job);
    }
  }

  /** How many are begun with; the others wait for whoever looks. */
  get size(): number {
    return this.#taken.length;
  }

  /** After the commit. */
  begin(): void {
    this.#executor?.begin(this.#taken);
    this.#taken = [];
  }

  /** Nothing was written. After {@link begin} there is nothing left to give back. */
  release(): void {
    for (const { owner } of this.#taken) this.#executor?.release(owner);
    this.#taken = [];
  }
}
