/** Milliseconds for an answer of Slurm. Beyond them the controller counts as away. */
export const ANSWER_MS = 30_000;
/** Bytes of an answer. A longer one is an error. */
export const ANSWER_BYTES = 64 * 1024 * 1024;

/** The state of a job as Slurm knows it, for example `TIMEOUT`, with its reason. */
export interface SlurmState {
  readonly state: string;
  readonly reason: string;
}

export interface QueuedJob extends SlurmState {
  readonly id: string;
}

export interface Submission {
  /** Unique among the jobs of an installation. The job is found by it when the answer was lost. */
  readonly name: string;
  /** Path of the batch script, on this machine. */
  readonly script: string;
  /** Folder in which the job begins, and the file for the output of the script. Both are of the node. */
  readonly folder: string;
  readonly output: string;
  readonly memoryMb: number;
  readonly cpus: number;
  readonly minutes: number;
  /** GPUs as Slurm writes them, `2` or `a100:2`; null for none. */
  readonly gpus: string | null;
  /** User that the job runs as; null for our own. Only root may name another. The REST interface has that of its token. */
  readonly uid: number | null;
  /** Further options of sbatch, such as `--partition=main`. */
  readonly options: readonly string[];
}

/** A cluster with Slurm: by its command line, or by its REST interface. */
export interface Slurm {
  /**
   * Submits a batch job and returns its id.
   * @throws StartRefused when Slurm does not take it (partition, limits of the account); RuntimeUnavailable when the
   * controller is away, so that nobody knows.
   */
  submit(one: Submission): Promise<string>;
  /**
   * States of all jobs of our user in the queue whose name begins so, by name. Ended jobs stay in it for a while. Of
   * several with the same name, one that runs takes precedence, then one that waits.
   */
  queue(prefix: string): Promise<Map<string, QueuedJob>>;
  /**
   * Returns null when Slurm no longer knows the job. Beyond the memory of the controller, which is five minutes, the
   * accounting of the cluster is asked, where there is one. A controller that lost what it had not saved gives an id again,
   * so here and below the name must be the same.
   */
  state(id: string, name: string): Promise<SlurmState | null>;
  /** Sends a signal to the batch script alone. Does nothing for jobs that have ended. */
  signal(id: string, name: string, signal: 'USR1'): Promise<void>;
  /** Ends a job, also one that waits. */
  cancel(id: string, name: string): Promise<void>;
}

/** True when the job is no longer in the queue, or only remembered there. */
export function hasEnded(state: string): boolean {
  return ![
    'PENDING',
    'RUNNING',
    'CONFIGURING',
    'COMPLETING',
    'SUSPENDED',
    'RESIZING',
    'STAGE_OUT',
    'SIGNALING',
  ].includes(state);
}

/** The jobs whose name begins so. */
export function byName(prefix: string, jobs: Iterable<QueuedJob & { readonly name: string }>): Map<string, QueuedJob> {
  const found = new Map<string, QueuedJob>();
  for (const { name, ...job } of jobs) {
    const other = found.get(name);
    if (name.startsWith(prefix) && (other === undefined || rankOf(job) >= rankOf(other))) found.set(name, job);
  }
  return found;
}

function rankOf({ state }: QueuedJob): number {
  if (hasEnded(state)) return 0;
  return state === 'PENDING' ? 1 : 2;
}
