import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import type { RegistrySettings } from '../kubernetes/settings.ts';
import { zipProject } from '../testing/zip-project.ts';
import type { ExecutionEnd, ExecutionJob, KnownExecution, Outcome, Runtime } from '../types.ts';
import { createClusterImages } from './cluster-images.ts';

// The runner is a stand-in, whose builds end as a test says. Real ones are built in images-kubernetes.conformance.test.ts.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-cluster-images-'));
afterAll(() => rmSync(root, { recursive: true }));

const IMAGE = `sha256:${'a'.repeat(64)}`;
const REPORT = JSON.stringify({ digest: IMAGE, command: ['true'], volumes: [], platform: 'linux/amd64' });

/** A builder whose builds have these outcomes, one after the other. `begun` lists those that were begun. */
function builderOf(name: string, outcomes: readonly Outcome[]) {
  const dataDir = join(root, name);
  mkdirSync(join(dataDir, 'runtime'), { recursive: true });
  const begun: string[] = [];
  const cancelled: string[] = [];
  const known = new Map<string, KnownExecution>();
  const stop = (): (() => void) => () => undefined;
  const runtime = {
    start({ executionId, code }: ExecutionJob) {
      const outcome = outcomes[begun.push(executionId) - 1] ?? 'LOST';
      if (!('image' in code) || !existsSync(join(code.build?.folder ?? '', 'Dockerfile')))
        throw new Error('no project');
      const result =
        outcome === 'SUCCEEDED'
          ? { path: '', bytes: REPORT.length, text: REPORT, isObject: true, reservedMembers: false }
          : null;
      const rest = {
        cause: null,
        startedAt: 1,
        endedAt: 1,
        files: [],
        peakMemoryBytes: null,
        cpuMs: null,
        logBytes: 0,
      };
      known.set(executionId, { executionId, state: 'ENDED', end: { executionId, outcome, result, ...rest } });
      return Promise.resolve('STARTED');
    },
    list: () => Promise.resolve([...known.values()]),
    readLog: () => Promise.resolve({ bytes: Buffer.alloc(0), nextByte: 0 }),
    cancel: (id: string) => Promise.resolve(void cancelled.push(id)),
    forget: (id: string) => Promise.resolve(void known.delete(id)),
    onLog: stop,
    onEnded: stop,
  } as unknown as Runtime;
  const registry = { repository: 'registry.test/kethub' } as RegistrySettings;
  let clock = 0;
  const builder = createClusterImages({ dataDir, runtime, registry, now: () => ++clock });
  return { builder, begun, cancelled, known, folder: join(dataDir, 'runtime', 'builds') };
}

test('a build that the cluster did not begin, or lost, is begun again', async () => {
  const { archive, digest } = await zipProject(['FROM scratch', 'CMD ["true"]']);
  const { builder, begun, known, folder } = builderOf('again', ['NOT_STARTED', 'LOST', 'SUCCEEDED']);
  const lines: string[] = [];
  const outcome = await builder.build(Readable.from([archive]), digest, ({ message }) => lines.push(message), new AbortController().signal); // prettier-ignore
  expect(outcome).toMatchObject({ ok: true, built: { image: `registry.test/kethub@${IMAGE}` } });
  expect(new Set(begun).size).toBe(3);
  expect(lines.filter((line) => line.includes('It begins again.'))).toHaveLength(2);
  expect([known.size, existsSync(join(folder, digest))]).toEqual([0, false]);
});

test('a build that is lost again and again is given up', async () => {
  const { archive, digest } = await zipProject(['FROM scratch', 'CMD ["true"]']);
  const { builder, begun, known, folder } = builderOf('lost', []);
  const built = builder.build(Readable.from([archive]), digest, () => undefined, new AbortController().signal);
  await expect(built).rejects.toThrow('The build ended as LOST');
  expect([begun.length, known.size, existsSync(join(folder, digest))]).toEqual([3, 0, false]);
});

test('a build that was begun for nobody, and left no project, is ended and forgotten', async () => {
  const { builder, known, cancelled } = builderOf('nobody', []);
  const end = { executionId: 'build-ended-1', outcome: 'FAILED', endedAt: 1 } as unknown as ExecutionEnd;
  known.set('build-ended-1', { executionId: 'build-ended-1', state: 'ENDED', end });
  known.set('build-running-1', { executionId: 'build-running-1', state: 'RUNNING', startedAt: 1 });
  known.set('other', { executionId: 'other', state: 'RUNNING', startedAt: 1 });
  await builder.sweep?.(() => Promise.resolve(new Set()));
  expect([[...known.keys()], cancelled]).toEqual([['build-running-1', 'other'], ['build-running-1']]);
});
