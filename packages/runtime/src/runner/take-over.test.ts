import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Containers } from '../containers/containers.ts';
import type { Kubernetes } from '../kubernetes/kubernetes.ts';
import { until } from '../testing/bench.ts';
import type { ExecutionEnd } from '../types.ts';
import type { RunnerContext } from './context.ts';
import { Executions } from './executions.ts';

// No driver has to run here: what an earlier runner left cannot be read, or is of none of them.
const root = mkdtempSync(join(tmpdir(), 'kethub-take-over-'));
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

/** The next runner after one that was killed while `left` ran. `faults` meet it, one at each look. */
function nextRunner(left: string, faults: Error[] = []) {
  const dir = join(root, left);
  mkdirSync(join(dir, left), { recursive: true });
  const kubernetes = { reattach: vi.fn(() => null), isTakingOver: false };
  const context = { paths: { executions: dir }, workFolders: { remove: (folder: string) => rmSync(folder, { recursive: true }) } }; // prettier-ignore
  const containers = {
    reattach() {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      return null;
    },
  };
  const drivers = { containers, kubernetes } as unknown as {
    containers: Containers;
    kubernetes: Kubernetes;
  };
  const ends: ExecutionEnd[] = [];
  const executions = new Executions(
    context as unknown as RunnerContext,
    drivers as ConstructorParameters<typeof Executions>[1],
    () => ({ warmBytes: 0, warmPerCode: 0, warmIdleMs: 0, cancelGraceMs: 0 }),
    { ended: (end) => ends.push(end), log: () => undefined },
  );
  return { executions, ends, kubernetes, dir };
}

test('an execution is taken over when the disk has room again, and runs for the platform until then', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const { executions, ends, kubernetes } = nextRunner('full', [full, full]);
  await executions.takeOver();
  // Its pod is not told that nobody knows it.
  expect(kubernetes.isTakingOver).toBe(true);
  expect(executions.list()).toMatchObject([{ executionId: 'full', state: 'RUNNING' }]);
  executions.forget('full');
  await until('it is taken over', () => ends.length > 0);
  expect(executions.list()).toEqual([{ executionId: 'full', state: 'ENDED', end: ends[0] }]);
  expect(ends).toMatchObject([{ executionId: 'full', outcome: 'LOST' }]);
  await until('all are known', () => !kubernetes.isTakingOver);
});

test('all jobs are known at once, whatever else was lost: no pod is answered before', async () => {
  const { executions, ends, kubernetes, dir } = nextRunner('first');
  mkdirSync(join(dir, 'second'));
  const taken = executions.takeOver();
  expect(kubernetes.reattach).toHaveBeenCalledTimes(2);
  await taken;
  expect(ends).toHaveLength(2);
});

test('an execution whose record is damaged is LOST, not without an end for ever', async () => {
  const { executions, ends } = nextRunner('damaged', [new SyntaxError('Unexpected end of JSON input')]);
  await executions.takeOver();
  expect(ends).toMatchObject([{ executionId: 'damaged', outcome: 'LOST' }]);
});
