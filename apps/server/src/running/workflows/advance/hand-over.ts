import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { Effects } from './effects.ts';

/** Executes jobs in this process, and can begin with new ones right after they are on disk. */
export interface JobExecutor {
  /**
   * Reserves a slot for a job of this owner. Returns the end of the job's lease, or null when the job has to wait in
   * the table.
   */
  reserve(owner: string): number | null;
  /** Frees a slot that was reserved in vain. */
  release(owner: string): void;
  /** Begins with jobs that have a slot. */
  begin(jobs: readonly WorkflowJobRow[]): void;
}

/**
 * The new jobs of a batch that this process begins with. They are written under its lease, so no further transaction
 * claims them. If the process dies, others claim them when the lease ends.
 */
export class HandOver {
  readonly #executor: JobExecutor | null;
  #taken: WorkflowJobRow[] = [];

  constructor(executor: JobExecutor | null) {
    this.#executor = executor;
  }

  /** Call it before the jobs are written. A job that the same batch cancels is skipped. */
  reserve({ jobs, jobsToCancel }: Effects, givenUp: ReadonlySet<string>): void {
    // The transaction may be a retry.
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

  /** Number of jobs to begin with. The others wait in the table. */
  get size(): number {
    return this.#taken.length;
  }

  /** Begins the jobs, after the commit: hand-over 7 of the state chart in workflows/engine.ts. */
  begin(): void {
    this.#executor?.begin(this.#taken);
    this.#taken = [];
  }

  /** Frees the slots when nothing was written. After {@link begin} it does nothing. */
  release(): void {
    for (const { owner } of this.#taken) this.#executor?.release(owner);
    this.#taken = [];
  }
}
