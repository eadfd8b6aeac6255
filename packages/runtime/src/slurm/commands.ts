import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';
import { RuntimeUnavailable, StartRefused } from '../types.ts';

const run = promisify(execFile);

/** Milliseconds for an answer of Slurm. Beyond them the controller counts as away. */
const ANSWER_MS = 30_000;
/** Bytes of an answer. A longer one is an error. */
const ANSWER_BYTES = 16 * 1024 * 1024;
/** Words of Slurm by which it says that it is busy or away, not that the job is wrong. */
const AWAY =
  /Unable to contact|Connection refused|Socket timed out|temporarily unable|slurm_persist|not responding|Zero Bytes were transmitted|Resource temporarily unavailable/i;

/** The end of a job as Slurm knows it, for example `TIMEOUT`, with its reason. */
export interface SlurmState {
  readonly state: string;
  readonly reason: string;
}

export interface Submission {
  /** Unique among the jobs of an installation. The job is found by it when the answer was lost. */
  readonly name: string;
  /** Path of the batch script, on this machine. */
  readonly script: string;
  /** Folder that this machine and the nodes share. The output of the script goes there. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly cpus: number;
  readonly minutes: number;
  /** User that the job runs as; null for our own. Only root may name another. */
  readonly uid: number | null;
  /** Further options of sbatch, such as `--partition=main`. */
  readonly options: readonly string[];
}

/** The command line of Slurm: sbatch, squeue, scancel and scontrol. */
export class SlurmCommands {
  readonly #environment: Record<string, string>;

  /** @param configuration path of slurm.conf; null for the usual one. */
  constructor(configuration: string | null) {
    this.#environment = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      LANG: 'C',
      ...(configuration !== null && { SLURM_CONF: configuration }),
    };
  }

  /**
   * Submits a batch job and returns its id.
   * @throws StartRefused when Slurm does not take it (partition, limits of the account); RuntimeUnavailable when the
   * controller is away, so that nobody knows.
   */
  async submit(one: Submission): Promise<string> {
    const options = [
      '--parsable',
      '--no-requeue',
      '--export=NONE',
      `--job-name=${one.name}`,
      `--chdir=${one.folder}`,
      `--output=${one.folder}/slurm.out`,
      `--mem=${one.memoryMb}M`,
      `--cpus-per-task=${one.cpus}`,
      '--ntasks=1',
      `--time=${one.minutes}`,
      ...(one.uid === null ? [] : [`--uid=${one.uid}`]),
      ...one.options,
    ];
    try {
      const answer = await this.#ask('sbatch', [...options, one.script]);
      const id = /^(\d+)/.exec(answer)?.[1];
      if (id === undefined) throw new RuntimeUnavailable(`sbatch answered ${JSON.stringify(answer.slice(0, 200))}.`);
      return id;
    } catch (error) {
      if (error instanceof RuntimeUnavailable) throw error;
      throw new StartRefused(`Slurm does not take the job: ${messageOf(error)}`);
    }
  }

  /** Ids and states of all jobs in the queue whose name begins so, by name. Ended jobs are not in it. */
  async queue(prefix: string): Promise<Map<string, { id: string; state: string; reason: string }>> {
    const answer = await this.#ask('squeue', ['--noheader', '--states=all', '--format=%i|%T|%j|%r']);
    const found = new Map<string, { id: string; state: string; reason: string }>();
    for (const line of answer.split('\n')) {
      const [id = '', state = '', name = '', reason = ''] = line.split('|');
      if (name.startsWith(prefix)) found.set(name, { id, state, reason });
    }
    return found;
  }

  /** Returns null when Slurm no longer knows the job. */
  async state(id: string): Promise<SlurmState | null> {
    try {
      const answer = await this.#ask('scontrol', ['--oneliner', 'show', 'job', id]);
      const state = /\bJobState=(\S+)/.exec(answer)?.[1];
      return state === undefined ? null : { state, reason: /\bReason=(\S+)/.exec(answer)?.[1] ?? 'None' };
    } catch (error) {
      if (/Invalid job id/i.test(messageOf(error))) return null;
      throw error;
    }
  }

  /** Sends a signal to the batch script alone. Does nothing for jobs that have ended. */
  async signal(id: string, signal: 'USR1'): Promise<void> {
    await this.#quietly('scancel', ['--batch', `--signal=${signal}`, id]);
  }

  /** Ends a job, also one that waits. */
  async cancel(id: string): Promise<void> {
    await this.#quietly('scancel', [id]);
  }

  async #quietly(command: string, options: readonly string[]): Promise<void> {
    try {
      await this.#ask(command, options);
    } catch (error) {
      if (!/Invalid job id|already completing|Job\/step already/i.test(messageOf(error))) throw error;
    }
  }

  async #ask(command: string, options: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run(command, options, {
        env: this.#environment,
        cwd: '/',
        encoding: 'utf8',
        timeout: ANSWER_MS,
        maxBuffer: ANSWER_BYTES,
      });
      return stdout.trim();
    } catch (error) {
      const { stderr, code, killed } = error as { stderr?: string; code?: string | number; killed?: boolean };
      const words = (stderr ?? '').trim().split('\n').at(-1)?.slice(0, 500) ?? '';
      if (code === 'ENOENT') throw new RuntimeUnavailable(`${command} is not installed on this machine.`);
      if (killed === true || AWAY.test(words)) throw new RuntimeUnavailable(`Slurm is away: ${words || 'no answer'}`);
      throw new Error(words || messageOf(error), { cause: error });
    }
  }
}
