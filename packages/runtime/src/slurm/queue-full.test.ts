import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import { RuntimeUnavailable, type ExecutionEnd, type ExecutionJob, type Runtime } from '../types.ts';
import { SlurmRuntime } from './slurm-runtime.ts';

// Programs stand in for those of Slurm: sbatch says that the queue is full, or that the controller is away. A real Slurm does so in accounts-slurm.conformance.test.ts.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-queue-full-'));
const before = process.env['PATH'];
const full = `echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2
echo 'sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user\\'s size and/or time limits)' >&2
exit 1`;

beforeAll(() => {
  for (const [name, script] of [['sbatch', full], ['squeue', ''], ['scancel', '']] as const)
    writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env['PATH'] = `${root}:${before}`;
}); // prettier-ignore
afterAll(() => {
  process.env['PATH'] = before;
  rmSync(root, { recursive: true });
});

/** A runtime of these stand-ins, and a job for it. */
function runtimeOf(id: string) {
  const [folder, app] = [join(root, id), join(root, `${id}-app`)];
  mkdirSync(app);
  const nothing = (): (() => void) => () => undefined;
  const local = { onEnded: nothing, onLog: nothing, close: () => Promise.resolve() } as unknown as Runtime;
  const warnings: string[] = [];
  const runtime = new SlurmRuntime(local, {
    folder,
    command: ['true'],
    uid: null,
    options: [],
    staging: null,
    rest: null,
    configuration: null,
    prefix: 'kethub-',
    warn: (line) => warnings.push(line),
  });
  const job = { executionId: id, code: { sourceDir: app, layerDir: null, imports: [] }, input: '{}', secrets: {}, environment: {}, dataPools: [], limits: LIMITS } as unknown as ExecutionJob; // prettier-ignore
  const log = async (): Promise<string> => (await runtime.readLog(id, 0)).bytes.toString();
  return { runtime, job, warnings, log };
}

test.each(['cancel', 'end'] as const)(
  'a job that the queue has no room for waits, says so, and is gone after %s',
  async (how) => {
    const { runtime, job, warnings, log } = runtimeOf(how);
    const ends: ExecutionEnd[] = [];
    runtime.onEnded((end) => ends.push(end));
    const started = runtime.start(job);
    await until('it is told', () => warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('Its QOS has reached a limit of the cluster.')]);
    expect(await log()).toContain('Slurm says: QOSMaxSubmitJobPerUserLimit');
    await runtime[how](how);
    expect(ends).toMatchObject([{ executionId: how, outcome: 'CANCELLED' }]);
    await runtime.close();
    expect(await started).toBe('STARTED');
  },
);

test('a job can be cancelled from the moment of its start', async () => {
  const { runtime, job } = runtimeOf('at-once');
  const ends: ExecutionEnd[] = [];
  runtime.onEnded((end) => ends.push(end));
  const started = runtime.start(job);
  await runtime.cancel('at-once');
  expect(ends).toMatchObject([{ executionId: 'at-once', outcome: 'CANCELLED' }]);
  expect(await started).toBe('STARTED');
  await runtime.close();
});

test('a job that Slurm has not answered for says so once, after what the platform waited for before', async () => {
  const { runtime, job, log } = runtimeOf('away');
  const away = `echo 'error: Unable to contact slurm controller (connect failure)' >&2\nexit 1`;
  for (const name of ['sbatch', 'squeue']) writeFileSync(join(root, name), `#!/bin/sh\n${away}\n`);
  const line = { timestamp: '2026-01-01T00:00:00.000Z', severity: 'NOTICE', message: 'The store was away.' } as const;
  await expect(runtime.start({ ...job, notices: [line] })).rejects.toBeInstanceOf(RuntimeUnavailable);
  expect(await runtime.start({ ...job, notices: [line] })).toBe('ALREADY_KNOWN');
  await until('it is told', async () => (await log()).includes('Slurm does not answer.'));
  await pause(4_000);
  expect((await log()).split('\n')).toEqual([JSON.stringify(line), expect.stringContaining('Slurm does not'), '']);
  await runtime.close();
});
