import type { SlurmRestSettings } from './rest.ts';
import type { StagingSettings } from './staging.ts';
import type { UnclaimedJobs } from './unclaimed.ts';

/** The shared folder, the user and the options of batch jobs. */
export interface SlurmOptions {
  /** Folder for mailboxes. The nodes share it at the same path, unless jobs are staged. */
  readonly folder: string;
  /** The way of jobs to this machine where no folder is shared; null where one is. */
  readonly staging: StagingSettings | null;
  /** The REST interface of Slurm; null for its command line. */
  readonly rest: SlurmRestSettings | null;
  /** Command that starts our program on a node, such as `/usr/bin/node /opt/kethub/packages/runtime/src/slurm/step.ts`. */
  readonly command: readonly string[];
  /** User of the jobs; null for our own. A number is allowed for root only. */
  readonly uid: number | null;
  /** Options of sbatch for every job: partition, account, QOS, licences, GPUs. */
  readonly options: readonly string[];
  /** Further options for the jobs of single services, by id. They take precedence. */
  readonly serviceOptions?: Readonly<Record<string, readonly string[]>>;
  /** Path of slurm.conf; null for the usual one. */
  readonly configuration: string | null;
  /** Prefix of the names of jobs: two installations in one cluster must not share it. */
  readonly prefix: string;
  /** Jobs that nobody waits for any more, and that are cancelled. Default: all jobs stay. */
  readonly unclaimed?: UnclaimedJobs;
  /** Private networks that services may reach when they declare hosts there. Default none. */
  readonly networks?: readonly string[];
  /** Called with what the operator should know. */
  readonly warn: (line: string) => void;
}
