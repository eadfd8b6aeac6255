import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../script/free-port.ts';
import { accountingTools, sacctmgr } from '../../../../script/slurm/accounting.ts';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import { connectRuntime, StartRefused, type ExecutionEnd, type Runtime } from '../index.ts';
import { openBench, until, type Bench } from '../testing/bench.ts';
import { jobProgram, SlurmRuntime, stagedProgram, type SlurmOptions } from './index.ts';

const SLEEPING = 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(600)';
const ONE = 'def run():\n    print("began", flush=True)\n    return 1';
/** Milliseconds that two programs and the queue need on a busy machine. */
const LONG_MS = 240_000;

/** A cluster, and runtimes that use it in one of the two ways. */
interface Use {
  readonly slurm: Slurm;
  readonly bench: Bench;
  open(options?: readonly string[], more?: Partial<SlurmOptions>): Promise<Runtime>;
  ask(command: string, ...options: string[]): string;
  jobOf(id: string): string;
}

type Way = 'BY_COMMANDS' | 'BY_REST';

async function openUse(way: Way, slurm: Slurm): Promise<Use> {
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
        prefix: 'kethub-accounts-',
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

const endOn = (on: Runtime, id: string): Promise<ExecutionEnd> =>
  new Promise((resolve) => {
    const stop = on.onEnded((end) => {
      if (end.executionId !== id) return;
      stop();
      resolve(end);
    });
  });

/** The whole log, read in pieces as the platform does. */
async function logOf(on: Runtime, id: string): Promise<string> {
  let text = '';
  for (let from = 0; ;) {
    const { bytes, nextByte } = await on.readLog(id, from);
    if (bytes.length === 0) return text;
    text += bytes.toString();
    from = nextByte;
  }
}

const logHas = (on: Runtime, id: string, words: RegExp): Promise<void> =>
  until(
    () => `${words} in the log`,
    async () => words.test(await logOf(on, id)),
  );

describe.skipIf(process.getuid?.() !== 0)('a real Slurm with accounting', () => {
  let slurm: Slurm;

  beforeAll(async () => {
    ensureTools([...slurmTools, ...accountingTools], () => undefined);
    slurm = await startSlurm({ withAccounting: true, minJobAge: 2 });
    for (const words of [
      'account chem',
      'account physics',
      'qos short MaxWall=2',
      'qos strict MaxWall=2 Flags=DenyOnLimit',
      'qos single GrpTRES=cpu=1',
      'user kethub-jobs account=chem qos=normal,short,strict,single defaultqos=normal',
      'user kethub-jobs account=physics qos=normal,single defaultqos=normal',
    ])
      expect(sacctmgr(slurm.configuration, 'add', ...words.split(' ')), words).toBe(true);
  }, LONG_MS);
  afterAll(async () => {
    await slurm.stop();
  });

  describe.each(['BY_COMMANDS', 'BY_REST'] as const)('%s', (way) => {
    let use: Use;
    beforeAll(async () => {
      use = await openUse(way, slurm);
    });
    afterAll(async () => {
      await use.bench.close();
    });

    test(
      'account and QOS of the worker and of the service are those of the job',
      async () => {
        const runtime = await use.open(['--account=chem', '--qos=normal'], {
          serviceOptions: { mine: ['--account=physics', '--qos=single'] },
        });
        for (const [service, account, qos] of [
          ['another', 'chem', 'normal'],
          ['mine', 'physics', 'single'],
        ] as const) {
          const job = { ...use.bench.job(SLEEPING), service };
          const ended = endOn(runtime, job.executionId);
          await runtime.start(job);
          await logHas(runtime, job.executionId, /began/);
          expect(use.jobOf(job.executionId)).toMatch(new RegExp(` Account=${account} QOS=${qos} `));
          await runtime.cancel(job.executionId);
          expect((await ended).outcome).toBe('CANCELLED');
        }
        await runtime.close();
      },
      LONG_MS,
    );

    test.each([
      ['an account that there is not', ['--account=nowhere'], /Invalid account/],
      ['a QOS that the account may not use', ['--account=physics', '--qos=short'], /Invalid qos/i],
      [
        'a limit of the QOS that refuses at once',
        ['--account=chem', '--qos=strict', '--time=60'],
        /accounting\/QOS policy/,
      ],
    ])('%s is refused, in words for the owner', async (_what, options, words) => {
      const runtime = await use.open(options);
      const refusal = await runtime.start(use.bench.job(ONE)).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StartRefused);
      expect((refusal as StartRefused).words).toMatch(words);
      expect((refusal as StartRefused).words).toMatch(/^The cluster does not take the job: .* Ask the operator\.$/);
      await runtime.close();
    });

    test(
      'a job that is longer than its QOS allows ends with the reason, and leaves the queue',
      async () => {
        const runtime = await use.open(['--account=chem', '--qos=short', '--time=60']);
        const job = use.bench.job(ONE);
        const ended = endOn(runtime, job.executionId);
        await runtime.start(job);
        const end = await ended;
        expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'BeyondClusterLimit' } });
        expect(end.cause?.detail).toContain('QOSMaxWallDurationPerJobLimit');
        expect(await logOf(runtime, job.executionId)).toContain('Beyond a limit of the cluster');
        expect(end.logBytes).toBe(Buffer.byteLength(await logOf(runtime, job.executionId)));
        await until('it has left the queue', () => use.ask('squeue', '--noheader').trim() === '');
        await runtime.close();
      },
      LONG_MS,
    );

    test.each([
      ['a limit of its QOS', ['--account=chem', '--qos=single'], /Its QOS has reached a limit .* QOSGrpCpuLimit/],
      ['a licence', ['--account=chem', '--licenses=cplex:2'], /A licence that it asks for is in use.*Licenses/],
    ])(
      'a job that waits for %s says so, and goes on when the first one has ended',
      async (_what, options, words) => {
        const runtime = await use.open(options);
        const [first, second] = [use.bench.job(SLEEPING), use.bench.job(ONE)];
        const over = endOn(runtime, first.executionId);
        await runtime.start(first);
        await logHas(runtime, first.executionId, /began/);
        const ended = endOn(runtime, second.executionId);
        await runtime.start(second);
        await logHas(runtime, second.executionId, words);
        await runtime.cancel(first.executionId);
        expect((await over).outcome).toBe('CANCELLED');
        const end = await ended;
        expect(end.outcome).toBe('SUCCEEDED');
        const log = await logOf(runtime, second.executionId);
        expect(log.match(/"began"/g)).toHaveLength(1);
        expect(log.indexOf('has not started the program yet')).toBeLessThan(log.indexOf('"began"'));
        expect(end.logBytes).toBe(Buffer.byteLength(log));
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'the accounting knows the end of a job that the controller has forgotten',
      async () => {
        expect(await endOfForgotten(use, ['--account=chem'])).toMatchObject({
          outcome: 'FAILED',
          cause: { type: 'JobCancelled' },
        });
      },
      LONG_MS,
    );
  });
});

describe.skipIf(process.getuid?.() !== 0)('a real Slurm without accounting', () => {
  test(
    'nobody knows the end of a job that the controller has forgotten',
    async () => {
      ensureTools(slurmTools, () => undefined);
      const slurm = await startSlurm({ minJobAge: 2 });
      try {
        for (const way of ['BY_COMMANDS', 'BY_REST'] as const) {
          const use = await openUse(way, slurm);
          expect(await endOfForgotten(use, [])).toMatchObject({
            outcome: 'LOST',
            cause: { detail: expect.stringContaining('unknown to Slurm') as string },
          });
          await use.bench.close();
        }
      } finally {
        await slurm.stop();
      }
    },
    LONG_MS,
  );
});

/** The end of a job that somebody cancels while no platform runs, as the platform that starts long after that sees it. */
async function endOfForgotten(use: Use, options: readonly string[]): Promise<ExecutionEnd> {
  const first = await use.open(options);
  const job = use.bench.job(SLEEPING);
  await first.start(job);
  await logHas(first, job.executionId, /began/);
  const id = /JobId=(\d+)/.exec(use.jobOf(job.executionId))?.[1] ?? '';
  await first.close();
  use.ask('scancel', id);
  await until('the controller has forgotten it', () => {
    try {
      use.ask('scontrol', 'show', 'job', id);
      return false;
    } catch {
      return true;
    }
  });
  const second = await use.open(options);
  const end = await endOn(second, job.executionId);
  await second.close();
  return end;
}
