import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import type { ExecutionEnd, ExecutionJob, Runtime } from '../types.ts';
import { SlurmRuntime } from './slurm-runtime.ts';

// Programs stand in for those of Slurm: sbatch says that the queue is full. A real Slurm does so in accounts-slurm.conformance.test.ts.
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

test.each(['cancel', 'end'] as const)(
  'a job that the queue has no room for waits, says so, and is gone after %s',
  async (how) => {
    const [folder, app] = [join(root, how), join(root, `${how}-app`)];
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
    const ends: ExecutionEnd[] = [];
    runtime.onEnded((end) => ends.push(end));
    const job = { executionId: how, code: { sourceDir: app, layerDir: null, imports: [] }, input: '{}', secrets: {}, environment: {}, dataPools: [], limits: LIMITS } as unknown as ExecutionJob; // prettier-ignore
    const started = runtime.start(job);
    await until('it is told', () => warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('Its QOS has reached a limit of the cluster.')]);
    const { bytes } = await runtime.readLog(how, 0);
    expect(bytes.toString()).toContain('Slurm says: QOSMaxSubmitJobPerUserLimit');
    await runtime[how](how);
    expect(ends).toMatchObject([{ executionId: how, outcome: 'CANCELLED' }]);
    await runtime.close();
    expect(await started).toBe('STARTED');
  },
);
