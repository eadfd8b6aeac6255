import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import type { ExecutionEnd, ExecutionJob, Runtime } from '../index.ts';
import { until } from '../testing/bench.ts';
import { SlurmCommands } from './commands.ts';
import { SlurmRest } from './rest.ts';
import { UnclaimedSearch } from './unclaimed.ts';
import { endOn, logHas, logOf, openUse, type Use } from '../testing/slurm-use.ts';

const ONE = 'def run():\n    print("began", flush=True)\n    return 1';
const SLEEPING = 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(600)';
/** Milliseconds that two programs and the queue need on a busy machine. */
const LONG_MS = 240_000;
const PREFIX = 'kethub-queue-';

describe.skipIf(process.getuid?.() !== 0)('the queue of a real Slurm', () => {
  let slurm: Slurm;
  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
  }, LONG_MS);
  afterAll(async () => {
    await slurm.stop();
  });

  describe.each(['BY_COMMANDS', 'BY_REST'] as const)('%s', (way) => {
    let use: Use;
    beforeAll(async () => {
      use = await openUse(way, slurm, PREFIX);
    });
    afterAll(async () => {
      await use.bench.close();
    });

    const started = async (runtime: Runtime, program: string): Promise<[ExecutionJob, Promise<ExecutionEnd>]> => {
      const job = use.bench.job(program);
      const ended = endOn(runtime, job.executionId);
      await runtime.start(job);
      return [job, ended];
    };
    const numberOf = (shown: string): string => /JobId=(\d+)/.exec(shown)?.[1] ?? '';
    /** Empty while the controller does not answer. */
    const stateOf = (id: string): string => {
      try {
        return /\bJobState=(\S+)/.exec(use.ask('scontrol', '--oneliner', 'show', 'job', id))?.[1] ?? '';
      } catch {
        return '';
      }
    };
    const client = () =>
      way === 'BY_COMMANDS'
        ? new SlurmCommands(slurm.configuration, slurm.uid)
        : new SlurmRest({ ...slurm.rest, version: 'v0.0.38', caFile: null });
    /** Submits a job that is not of the platform; without other options it does nothing. */
    const submit = (name: string, user: number | string, ...options: string[]): string =>
      use
        .ask(
          'sbatch',
          '--parsable',
          `--job-name=${name}`,
          `--uid=${user}`,
          '--output=/dev/null',
          '--chdir=/',
          '--wrap=true',
          ...options,
        ) // prettier-ignore
        .trim();

    test(
      'does not take back a job that has begun',
      async () => {
        const runtime = await use.open();
        const [job, ended] = await started(runtime, SLEEPING);
        await logHas(runtime, job.executionId, /began/);
        const shown = use.jobOf(job.executionId);
        expect(shown).toContain(' Requeue=0 ');
        expect(() => use.ask('scontrol', 'requeue', numberOf(shown))).toThrow(
          /Requested operation is presently disabled/,
        );
        expect(use.jobOf(job.executionId)).toMatch(/ JobState=RUNNING .* Restarts=0 /);
        await runtime.cancel(job.executionId);
        expect((await ended).outcome).toBe('CANCELLED');
        expect((await logOf(runtime, job.executionId)).match(/"began"/g)).toHaveLength(1);
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'is told of no second program when an operator lets a job begin again',
      async () => {
        const runtime = await use.open();
        const [job, ended] = await started(runtime, SLEEPING);
        await logHas(runtime, job.executionId, /began/);
        const id = numberOf(use.jobOf(job.executionId));
        use.ask('scontrol', 'update', `jobid=${id}`, 'requeue=1');
        use.ask('scontrol', 'requeue', id);
        expect(use.jobOf(job.executionId)).toContain(' Restarts=1 ');
        expect(await ended).toMatchObject({ outcome: 'FAILED', cause: { type: 'JobRequeued' } });
        await until('it has left the queue', () => stateOf(id) === 'CANCELLED');
        expect((await logOf(runtime, job.executionId)).match(/"began"/g)).toHaveLength(1);
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'may hold other jobs of the same name: they run nothing and change nothing',
      async () => {
        const runtime = await use.open();
        const [job, ended] = await started(runtime, 'import time\ndef run():\n    print("began", flush=True)\n    time.sleep(20)\n    return 1'); // prettier-ignore
        await logHas(runtime, job.executionId, /began/);
        const name = `${PREFIX}${job.executionId}`;
        const [same, strange] = [submit(name, slurm.uid), submit(name, 'nobody')];
        const waiting = submit(name, slurm.uid, '--hold');
        await until('both have ended', () => [same, strange].every((id) => stateOf(id) === 'COMPLETED'));
        expect((await ended).outcome).toBe('SUCCEEDED');
        expect(stateOf(waiting)).toBe('PENDING');
        use.ask('scancel', waiting);
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'gives an id again: only the job with the right name is asked for and cancelled',
      async () => {
        const by = client();
        const id = submit('kethub-second-1', slurm.uid, '--hold');
        expect(await by.state(id, 'kethub-first-1')).toBeNull();
        await by.cancel(id, 'kethub-first-1');
        await by.signal(id, 'kethub-first-1', 'USR1');
        expect(await by.state(id, 'kethub-second-1')).toMatchObject({ state: 'PENDING' });
        await by.cancel(id, 'kethub-second-1');
        expect(await by.state(id, 'kethub-second-1')).toMatchObject({ state: 'CANCELLED' });
        await by.cancel(id, 'kethub-second-1');

        // The execution follows its own job, and not the one that has its id now.
        const runtime = await use.open(['--hold']);
        const [job, ended] = await started(runtime, ONE);
        const own = numberOf(use.jobOf(job.executionId));
        const another = submit('kethub-second-1', slurm.uid, '--hold');
        writeFileSync(path.join(use.bench.dataDir, 'jobs', job.executionId, 'slurm-job'), another);
        await until('it knows its job', () => numberOf(use.jobOf(job.executionId)) === own);
        writeFileSync(path.join(use.bench.dataDir, 'jobs', job.executionId, 'slurm-job'), another);
        await runtime.cancel(job.executionId);
        expect((await ended).outcome).toBe('CANCELLED');
        expect(stateOf(another)).toBe('PENDING');
        for (const one of [own, another]) use.ask('scancel', one);
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'loses the jobs that wait for an execution that has ended, and no others',
      async () => {
        const held = ['--hold'];
        const name = (what: string): string => `kethub-${what}-1`;
        const gone = [submit(name('gone'), slurm.uid, ...held), submit(name('lost'), slurm.uid, ...held)];
        const others = [
          submit(name('claimed'), slurm.uid, ...held),
          submit(name('gone'), 'nobody', ...held),
          submit('nightly', slurm.uid, ...held),
        ];
        const asked: string[] = [];
        const runtime = await use.open(held, {
          unclaimed: {
            prefix: 'kethub-',
            of(names) {
              asked.push(...names);
              return Promise.resolve(names.filter((one) => !one.includes('claimed')));
            },
          },
        });
        await until('they are cancelled', () => gone.every((id) => stateOf(id) === 'CANCELLED'));
        expect(others.map(stateOf)).toEqual(['PENDING', 'PENDING', 'PENDING']);
        expect(asked).not.toContain('nightly');
        for (const id of others) use.ask('scancel', id);
        await runtime.close();
      },
      LONG_MS,
    );

    test(
      'holds a job that had ended when its controller was killed, until the second look cancels it',
      async () => {
        const folder = path.dirname(slurm.configuration);
        const [state, saved, go] = [path.join(folder, 'state'), path.join(folder, `saved-${way}`), path.join(folder, `go-${way}`)]; // prettier-ignore
        const ghost = submit('kethub-ghost-1', slurm.uid, `--wrap=until [ -e ${go} ]; do sleep 0.1; done`);
        await until('it runs', () => stateOf(ghost) === 'RUNNING');
        // The state that a controller saved last before it was killed.
        await slurm.stopController();
        cpSync(state, saved, { recursive: true });
        slurm.startController();
        writeFileSync(go, '');
        await until('it has ended', () => stateOf(ghost) === 'COMPLETED');
        await slurm.stopController('SIGKILL');
        rmSync(state, { recursive: true });
        cpSync(saved, state, { recursive: true });
        slurm.startController();
        await until('the controller takes it for a running one', () => stateOf(ghost) === 'RUNNING');
        const warnings: string[] = [];
        const of = (names: readonly string[]) => Promise.resolve(names.filter((name) => name === 'kethub-ghost-1'));
        const search = new UnclaimedSearch(client(), { prefix: 'kethub-', of }, (line) => warnings.push(line));
        await search.look(() => false);
        expect(stateOf(ghost)).toBe('RUNNING');
        await search.look(() => false);
        expect(warnings).toEqual([expect.stringContaining('it was RUNNING for an execution that has ended')]);
        await until('it is gone', () => stateOf(ghost) === 'CANCELLED');
        await until('the nodes are free', () => /^idle 2$/m.test(use.ask('sinfo', '--noheader', '--format=%T %D')));
      },
      LONG_MS,
    );

    test(
      'keeps a job that is followed, although nobody claims it',
      async () => {
        let looks = 0;
        const first = await use.open(['--hold']);
        const [job] = await started(first, ONE);
        const id = numberOf(use.jobOf(job.executionId));
        await first.close();
        const bait = submit('kethub-bait-1', slurm.uid, '--hold');
        const runtime = await use.open(['--hold'], {
          unclaimed: {
            prefix: 'kethub-',
            of(names) {
              looks += 1;
              return Promise.resolve(names);
            },
          },
        });
        await until('the other one is cancelled', () => stateOf(bait) === 'CANCELLED');
        expect([looks, stateOf(id)]).toEqual([1, 'PENDING']);
        const ended = endOn(runtime, job.executionId);
        await runtime.cancel(job.executionId);
        expect((await ended).outcome).toBe('CANCELLED');
        await until('it has left the queue', () => stateOf(id) === 'CANCELLED');
        await runtime.close();
      },
      LONG_MS,
    );
  });
});

describe.skipIf(process.getuid?.() !== 0)('a node of a real Slurm that is gone with all its processes', () => {
  let slurm: Slurm;
  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm({ nodeTimeout: 10 });
  }, LONG_MS);
  afterAll(async () => {
    await slurm.stop();
  });

  test.each(['BY_COMMANDS', 'BY_REST'] as const)(
    '%s: the execution is lost with the reason, and is not run again',
    async (way) => {
      const use = await openUse(way, slurm, PREFIX);
      const runtime = await use.open();
      const job = use.bench.job(SLEEPING);
      const ended = endOn(runtime, job.executionId);
      await runtime.start(job);
      await logHas(runtime, job.executionId, /began/);
      const shown = use.jobOf(job.executionId);
      const [id, node] = [/JobId=(\d+)/, /\bNodeList=(node\d)/].map((pattern) => pattern.exec(shown)?.[1] ?? '');
      await slurm.killNode(node ?? '');
      expect(killJob(id ?? '')).toBeGreaterThan(0);
      expect(await ended).toMatchObject({
        outcome: 'LOST',
        cause: { detail: expect.stringMatching(/^Its node of the cluster failed/) as string },
      });
      expect(use.jobOf(job.executionId)).toMatch(/ JobState=NODE_FAIL .* Restarts=0 /);
      expect((await logOf(runtime, job.executionId)).match(/"began"/g)).toHaveLength(1);
      await runtime.close();
      await use.bench.close();
    },
    LONG_MS,
  );

  /** Kills all processes of a job, as a machine that loses its power does. Returns their number. */
  function killJob(id: string): number {
    // Other tests remove groups of theirs meanwhile, so find fails at the end.
    const found = spawnSync('find', ['/sys/fs/cgroup', '-path', `*/job_${id}/*`, '-name', 'cgroup.procs'], { encoding: 'utf8' }); // prettier-ignore
    const groups = found.stdout.split('\n').map(textOf);
    const inGroups = groups.flatMap((text) => text.split('\n'));
    const daemons = readdirSync('/proc').filter((pid) => textOf(`/proc/${pid}/cmdline`).startsWith(`slurmstepd: [${id}.`)); // prettier-ignore
    const pids = new Set([...daemons, ...inGroups].filter(Boolean).map(Number));
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended with another one.
      }
    }
    return pids.size;
  }
});

/** Empty when the file is gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
