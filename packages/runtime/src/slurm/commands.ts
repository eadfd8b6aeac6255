import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';
import { RuntimeUnavailable } from '../types.ts';
import { notTaken } from './waiting.ts';
import {
  ANSWER_BYTES,
  ANSWER_MS,
  byName,
  type QueuedJob,
  type Slurm,
  type SlurmState,
  type Submission,
} from './slurm.ts';

const run = promisify(execFile);

/** Words of Slurm by which it says that it is busy or away, not that the job is wrong. */
const AWAY =
  /Unable to contact|Connection refused|Socket timed out|temporarily unable|slurm_persist|not responding|Zero Bytes were transmitted|Resource temporarily unavailable/i;

/** The command line of Slurm: sbatch, squeue, scancel and scontrol. */
export class SlurmCommands implements Slurm {
  readonly #environment: Record<string, string>;
  readonly #user: number;

  /**
   * @param configuration path of slurm.conf; null for the usual one.
   * @param uid user of our jobs; null for that of this process.
   */
  constructor(configuration: string | null, uid: number | null) {
    this.#user = uid ?? process.getuid?.() ?? -1;
    this.#environment = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      LANG: 'C',
      ...(configuration !== null && { SLURM_CONF: configuration }),
    };
  }

  async submit(one: Submission): Promise<string> {
    const options = [
      '--parsable',
      '--no-requeue',
      '--export=NONE',
      `--job-name=${one.name}`,
      `--chdir=${one.folder}`,
      `--output=${one.output}`,
      `--mem=${one.memoryMb}M`,
      `--cpus-per-task=${one.cpus}`,
      '--ntasks=1',
      `--time=${one.minutes}`,
      ...(one.gpus === null ? [] : [`--gpus=${one.gpus}`]),
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
      throw notTaken(messageOf(error));
    }
  }

  async queue(prefix: string): Promise<Map<string, QueuedJob>> {
    const options = ['--noheader', '--states=all', `--user=${this.#user}`, '--format=%i|%T|%r|%j'];
    const lines = (await this.#ask('squeue', options)).split('\n');
    return byName(
      prefix,
      lines.map((line) => {
        const [id = '', state = '', reason = '', name = ''] = line.split('|');
        return { id, state, reason, name };
      }),
    );
  }

  async state(id: string, name: string): Promise<SlurmState | null> {
    try {
      const answer = await this.#ask('scontrol', ['--oneliner', 'show', 'job', id]);
      if (/ JobName=(\S+)/.exec(answer)?.[1] !== name) return this.#accounted(id, name);
      const state = /\bJobState=(\S+)/.exec(answer)?.[1];
      return state === undefined ? null : { state, reason: /\bReason=(\S+)/.exec(answer)?.[1] ?? 'None' };
    } catch (error) {
      if (/Invalid job id/i.test(messageOf(error))) return this.#accounted(id, name);
      throw error;
    }
  }

  /** The state that the accounting keeps; null for a cluster without one. */
  async #accounted(id: string, name: string): Promise<SlurmState | null> {
    const options = ['--noheader', '--parsable2', '--allocations', `--jobs=${id}`, '--format=State,JobName'];
    try {
      const lines = (await this.#ask('sacct', options)).split('\n').map((line) => line.split('|'));
      const state = lines.find(([, of]) => of === name)?.[0]?.split(' ')[0];
      return state === undefined ? null : { state, reason: 'None' };
    } catch (error) {
      if (/accounting storage is disabled/i.test(messageOf(error))) return null;
      throw error;
    }
  }

  async signal(id: string, name: string, signal: 'USR1'): Promise<void> {
    await this.#quietly('scancel', [`--name=${name}`, '--batch', `--signal=${signal}`, id]);
  }

  async cancel(id: string, name: string): Promise<void> {
    await this.#quietly('scancel', [`--name=${name}`, id]);
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
      const words = (stderr ?? '')
        .trim()
        .replaceAll(/\s*\n(\w+: error: )?/g, '; ')
        .slice(0, 500);
      if (code === 'ENOENT') throw new RuntimeUnavailable(`${command} is not installed on this machine.`);
      if (killed === true || AWAY.test(words)) throw new RuntimeUnavailable(`Slurm is away: ${words || 'no answer'}`);
      throw new Error(words || messageOf(error), { cause: error });
    }
  }
}
