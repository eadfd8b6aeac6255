import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import type { ExecutionEnd, Runtime } from '../index.ts';
import { connectRuntime, StartRefused } from '../index.ts';
import { openBench, resultOf, until, type Bench, type Order } from '../testing/bench.ts';
import { jobProgram, SlurmRuntime } from './index.ts';

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('executions as batch jobs of a real Slurm', () => {
  let slurm: Slurm;
  let bench: Bench;
  let runtime: Runtime;
  let folder: string;
  const warnings: string[] = [];

  const open = async (
    options: readonly string[] = [],
    serviceOptions: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<Runtime> =>
    new SlurmRuntime(await connectRuntime({ dataDir: bench.dataDir, idleExitMs: 500, warmBytes: 0 }), {
      folder,
      command: [process.execPath, jobProgram],
      uid: slurm.uid,
      options,
      serviceOptions,
      staging: null,
      rest: null,
      configuration: slurm.configuration,
      prefix: 'kethub-test-',
      warn: (line) => warnings.push(line),
    });

  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
    bench = await openBench();
    chmodSync(bench.dataDir, 0o755);
    folder = join(bench.dataDir, 'jobs');
    mkdirSync(folder);
    runtime = await open();
  });
  afterAll(async () => {
    await runtime.close();
    await bench.close();
    await slurm.stop();
  });

  const endOn = (on: Runtime, id: string): Promise<ExecutionEnd> =>
    new Promise((resolve) => {
      const stop = on.onEnded((end) => {
        if (end.executionId !== id) return;
        stop();
        resolve(end);
      });
    });
  const run = async (program: string, order?: Order): Promise<ExecutionEnd> => {
    const job = bench.job(program, order);
    const ended = endOn(runtime, job.executionId);
    expect(await runtime.start(job)).toBe('STARTED');
    return ended;
  };
  const logOf = async (id: string, on = runtime): Promise<string> => (await on.readLog(id, 0)).bytes.toString();
  const startedWith = async (text: string, program: string, order?: Order) => {
    const job = bench.job(program, order);
    await runtime.start(job);
    await until(
      () => `${text} in the log: ${warnings.join()}`,
      async () => (await logOf(job.executionId)).includes(text),
    );
    return job;
  };

  test('result, files, log, secrets and data pools come and go as in the sandbox', async () => {
    const program = `
import os
from pathlib import Path
def run(data, token, graphs):
    print("at work", os.getuid(), os.environ["MODE"])
    Path("/var/runtime/output/a.txt").write_text(token.unwrap())
    return {"twice": data * 2, "pool": sorted(os.listdir("/var/runtime/datapool/graphs"))}`.replace(
      'import os\n',
      'import os\nfrom kethub.secret import SecretValue\nfrom kethub.datapool import DataPool\n',
    );
    const pool = join(bench.dataDir, 'pool');
    mkdirSync(pool, { recursive: true });
    const typed = program.replace('token, graphs', 'token: SecretValue, graphs: DataPool');
    const end = await run(typed, {
      input: { data: 21 },
      secrets: { token: 's3cret' },
      environment: { MODE: 'fast' },
      dataPools: [{ parameter: 'graphs', path: pool, writable: false }],
    });
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', cause: null, files: [{ name: 'a.txt', bytes: 6 }] });
    expect(resultOf(end)).toEqual({ twice: 42, pool: [] });
    expect(readFileSync(end.files[0]?.path ?? '', 'utf8')).toBe('s3cret');
    expect(await logOf(end.executionId)).toContain('at work 1000 fast');
    // The secrets are gone from the shared folder, which only its owner can enter.
    expect(existsSync(join(folder, end.executionId, 'job.json'))).toBe(false);
    expect(statSync(join(folder, end.executionId)).mode & 0o077).toBe(0);
    await runtime.forget(end.executionId);
    expect(existsSync(join(folder, end.executionId))).toBe(false);
  });

  test('an exception and an exit are FAILED with their cause', async () => {
    const raised = await run('def run():\n    raise ValueError("no such graph")');
    expect(raised).toMatchObject({ outcome: 'FAILED', cause: { title: 'ValueError', detail: 'no such graph' } });
    const exited = await run('import os\ndef run():\n    os._exit(7)');
    expect(exited.cause?.detail).toContain('exit code 7');
  });

  test('an id runs once', async () => {
    const job = bench.job('def run():\n    return 1');
    const ended = endOn(runtime, job.executionId);
    await runtime.start(job);
    expect(await runtime.start(job)).toBe('ALREADY_KNOWN');
    expect((await ended).outcome).toBe('SUCCEEDED');
    expect(await runtime.start(job)).toBe('ALREADY_KNOWN');
  });

  test('cancelling ends a program that ignores SIGTERM, and a job that waits never runs', async () => {
    const stubborn = `
import signal, time
def run():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready", flush=True)
    time.sleep(600)`;
    const job = await startedWith('ready', stubborn);
    const ended = endOn(runtime, job.executionId);
    await runtime.cancel(job.executionId);
    expect((await ended).outcome).toBe('CANCELLED');

    const held = await open(['--hold']);
    const waiting = bench.job('def run():\n    return 1');
    const over = endOn(held, waiting.executionId);
    await held.start(waiting);
    await held.cancel(waiting.executionId);
    expect((await over).outcome).toBe('CANCELLED');
    await held.close();
  });

  test('a new platform follows a running job by its id, and a restart of the controller loses nothing', async () => {
    const job = await startedWith(
      'began',
      'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(8)\n    return "done"',
    );
    const second = await open();
    const ended = endOn(second, job.executionId);
    await slurm.stopController();
    slurm.startController();
    const end = await ended;
    expect([end.outcome, resultOf(end)]).toEqual(['SUCCEEDED', 'done']);
    const known = (await second.list()).find(({ executionId }) => executionId === job.executionId);
    expect(known).toMatchObject({ state: 'ENDED' });
    await second.close();
  }, 120_000);

  const SLEEPING = 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(600)';
  const inSlurm = (command: string, ...options: string[]): string =>
    execFileSync(command, options, {
      env: { ...process.env, SLURM_CONF: slurm.configuration },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const jobIdOf = (id: string): string => readFileSync(join(folder, id, 'slurm-job'), 'utf8');

  test.each([
    [
      'cancelled by somebody in the cluster',
      'FAILED',
      /Somebody cancelled the job/,
      (id: string) => inSlurm('scancel', id),
    ],
    ['whose node failed', 'LOST', /node of the cluster failed/, (id: string) => downNodeOf(id)],
  ] as const)(
    'a job %s is reported as such',
    async (_what, outcome, words, end) => {
      const job = await startedWith('began', SLEEPING);
      const ended = endOn(runtime, job.executionId);
      end(jobIdOf(job.executionId));
      expect(await ended).toMatchObject({ outcome, cause: { detail: expect.stringMatching(words) as string } });
      // A node that was down takes jobs again only when the last one has left it.
      for (const node of ['node1', 'node2'])
        await until(`${node} takes jobs`, () => {
          const state = inSlurm('sinfo', '--noheader', '--nodes', node, '--format=%T').trim();
          if (/^(idle|mixed|allocated)$/.test(state)) return true;
          try {
            inSlurm('scontrol', 'update', `nodename=${node}`, 'state=resume');
          } catch {
            // Too early.
          }
          return false;
        });
    },
    120_000,
  );

  function downNodeOf(id: string): void {
    const shown = inSlurm('scontrol', '--oneliner', 'show', 'job', id);
    const node = /\bNodeList=(node\d)/.exec(shown)?.[1] ?? '';
    inSlurm('scontrol', 'update', `nodename=${node}`, 'state=down', 'reason=test');
  }

  test.each([
    ['would start it again', 'main'],
    ['ends it', 'spare'],
  ])(
    'a job that another one displaces is reported as such, and runs once, where preemption %s',
    async (_what, partition) => {
      const displaced = await open([`--partition=${partition}`]);
      const job = bench.job(SLEEPING);
      const ended = endOn(displaced, job.executionId);
      await displaced.start(job);
      await until('it runs', async () => (await logOf(job.executionId, displaced)).includes('began'));
      const node = /\bNodeList=(node\d)/.exec(
        inSlurm('scontrol', '--oneliner', 'show', 'job', jobIdOf(job.executionId)),
      )?.[1];
      const other = inSlurm('sbatch', '--parsable', '--partition=urgent', '--exclusive', `--nodelist=${node}`, '--output=/dev/null', `--uid=${slurm.uid}`, '--chdir=/', '--wrap=sleep 5').trim(); // prettier-ignore
      expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type: 'JobPreempted' } });
      await until('the other one has ended', () =>
        / JobState=COMPLETED /.test(inSlurm('scontrol', '--oneliner', 'show', 'job', other)),
      );
      expect(inSlurm('scontrol', '--oneliner', 'show', 'job', jobIdOf(job.executionId))).toMatch(
        / JobState=PREEMPTED .* Restarts=0 /,
      );
      expect((await logOf(job.executionId, displaced)).match(/began/g)).toHaveLength(1);
      await displaced.close();
    },
    120_000,
  );

  test('a job whose time in the cluster is over is FAILED by that limit', async () => {
    const short = await open(['--time=1']);
    const job = bench.job(SLEEPING, { limits: { runTimeMs: 600_000 } });
    const ended = endOn(short, job.executionId);
    await short.start(job);
    await until('it runs', async () => (await logOf(job.executionId, short)).includes('began'));
    const id = jobIdOf(job.executionId);
    expect(inSlurm('scontrol', '--oneliner', 'show', 'job', id)).toMatch(/ TimeLimit=00:01:00 /);
    // Slurm looks every 30 s for jobs whose time is over. The minute before that is not waited for.
    inSlurm('scontrol', 'update', `jobid=${id}`, 'EndTime=now');
    expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type: 'RuntimeLimitExceeded' } });
    expect(inSlurm('scontrol', '--oneliner', 'show', 'job', id)).toMatch(/ JobState=TIMEOUT /);
    await short.close();
  }, 200_000);

  test('licences of the worker, options of the service and GPUs of the version are asked of Slurm', async () => {
    const licensed = await open(['--licenses=cplex:1', '--partition=closed'], {
      mine: ['--partition=spare'],
      another: ['--partition=nowhere'],
    });
    const job = { ...bench.job(SLEEPING, { gpus: { count: 1, type: null } }), service: 'mine' };
    const ended = endOn(licensed, job.executionId);
    await licensed.start(job);
    await until('it runs', async () => (await logOf(job.executionId, licensed)).includes('began'));
    const shown = inSlurm('scontrol', '--oneliner', 'show', 'job', jobIdOf(job.executionId));
    expect(shown).toMatch(/ Licenses=cplex:1 /);
    expect(shown).toMatch(/ Partition=spare /);
    expect(shown).toMatch(/ TresPerJob=gres:gpu:1 /);
    expect(shown).toMatch(/ NodeList=node1 /);
    await licensed.cancel(job.executionId);
    expect((await ended).outcome).toBe('CANCELLED');
    await licensed.close();
  });

  test('what the partition does not take is refused with the words of Slurm, and nothing is left', async () => {
    const refused = await open(['--partition=nowhere']);
    const job = bench.job('def run():\n    return 1');
    await expect(refused.start(job)).rejects.toThrow(StartRefused);
    await expect(refused.start(job)).rejects.toThrow(/partition/i);
    expect(existsSync(join(folder, job.executionId))).toBe(false);
    await refused.close();
  });
});
