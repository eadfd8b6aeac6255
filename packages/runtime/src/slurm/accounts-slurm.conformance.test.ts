import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountingTools, sacctmgr } from '../../../../script/slurm/accounting.ts';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import { StartRefused, type ExecutionEnd } from '../index.ts';
import { until } from '../testing/bench.ts';
import { endOn, logHas, logOf, openUse, type Use } from '../testing/slurm-use.ts';

const SLEEPING = 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(600)';
const ONE = 'def run():\n    print("began", flush=True)\n    return 1';
/** Milliseconds that two programs and the queue need on a busy machine. */
const LONG_MS = 240_000;

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
      'qos few MaxSubmitJobsPerUser=1',
      'user kethub-jobs account=chem qos=normal,short,strict,single,few defaultqos=normal',
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
      use = await openUse(way, slurm, 'kethub-accounts-');
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

    // Over REST, Slurm does not say which limit refuses a job.
    test.skipIf(way === 'BY_REST')(
      'a job that its QOS does not take into the queue is submitted when there is room, or cancelled',
      async () => {
        const runtime = await use.open(['--account=chem', '--qos=few']);
        const [first, second, third] = [use.bench.job(SLEEPING), use.bench.job(ONE), use.bench.job(ONE)];
        await runtime.start(first);
        await logHas(runtime, first.executionId, /began/);
        const [over, ended, unwanted] = [first, second, third].map(({ executionId }) => endOn(runtime, executionId));
        const starts = [second, third].map((job) => runtime.start(job));
        for (const { executionId } of [second, third])
          await logHas(runtime, executionId, /Its QOS has reached a limit .* QOSMaxSubmitJobPerUserLimit/);
        await runtime.cancel(third.executionId);
        expect((await unwanted)?.outcome).toBe('CANCELLED');
        await runtime.cancel(first.executionId);
        expect((await over)?.outcome).toBe('CANCELLED');
        expect((await ended)?.outcome).toBe('SUCCEEDED');
        expect(await Promise.all(starts)).toEqual(['STARTED', 'STARTED']);
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
          const use = await openUse(way, slurm, 'kethub-accounts-');
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
