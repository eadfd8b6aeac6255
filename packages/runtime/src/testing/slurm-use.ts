import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../script/free-port.ts';
import type { Slurm } from '../../../../script/slurm.ts';
import { connectRuntime, type ExecutionEnd, type Runtime } from '../index.ts';
import { jobProgram, SlurmRuntime, stagedProgram, type SlurmOptions } from '../slurm/index.ts';
import { openBench, until, type Bench } from './bench.ts';

/** A cluster, and runtimes that use it in one of the two ways. */
export interface Use {
  readonly slurm: Slurm;
  readonly bench: Bench;
  open(options?: readonly string[], more?: Partial<SlurmOptions>): Promise<Runtime>;
  ask(command: string, ...options: string[]): string;
  jobOf(id: string): string;
}

/** With a shared folder and the command line, or with neither. */
export type Way = 'BY_COMMANDS' | 'BY_REST';

export async function openUse(way: Way, slurm: Slurm, prefix: string): Promise<Use> {
  const bench = await openBench();
  if (way === 'BY_COMMANDS') chmodSync(bench.dataDir, 0o755);
  const folder = join(bench.dataDir, 'jobs');
  const ask = (command: string, ...options: string[]): string =>
    execFileSync(command, options, {
      env: { PATH: '/usr/bin:/bin', SLURM_CONF: slurm.configuration },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const ofWay = async (): Promise<Pick<SlurmOptions, 'staging' | 'rest' | 'command' | 'uid' | 'configuration'>> => {
    if (way === 'BY_COMMANDS')
      return {
        staging: null,
        rest: null,
        command: [process.execPath, jobProgram],
        uid: slurm.uid,
        configuration: slurm.configuration,
      };
    const port = await freePort();
    return {
      staging: { url: `http://127.0.0.1:${port}`, port, tls: null },
      rest: { ...slurm.rest, version: 'v0.0.38', caFile: null },
      command: [process.execPath, stagedProgram],
      uid: null,
      configuration: null,
    };
  };
  return {
    slurm,
    bench,
    ask,
    async open(options = [], more = {}) {
      const local = await connectRuntime({ dataDir: bench.dataDir, idleExitMs: 500, warmBytes: 0 });
      const runtime = new SlurmRuntime(local, {
        folder,
        options,
        prefix,
        warn: (line) => console.error(line),
        ...(await ofWay()),
        ...more,
      });
      await runtime.listen();
      return runtime;
    },
    jobOf: (id) => ask('scontrol', '--oneliner', 'show', 'job', readFileSync(join(folder, id, 'slurm-job'), 'utf8')),
  };
}

/** The end of an execution that has not been reported yet. */
export const endOn = (on: Runtime, id: string): Promise<ExecutionEnd> =>
  new Promise((resolve) => {
    const stop = on.onEnded((end) => {
      if (end.executionId !== id) return;
      stop();
      resolve(end);
    });
  });

/** The whole log, read in pieces as the platform does. */
export async function logOf(on: Runtime, id: string): Promise<string> {
  let text = '';
  for (let from = 0; ;) {
    const { bytes, nextByte } = await on.readLog(id, from);
    if (bytes.length === 0) return text;
    text += bytes.toString();
    from = nextByte;
  }
}

/** Waits for words in the log. */
export const logHas = (on: Runtime, id: string, words: RegExp): Promise<void> =>
  until(
    () => `${words} in the log`,
    async () => words.test(await logOf(on, id)),
  );
