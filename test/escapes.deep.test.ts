import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgreSql } from '@kethub/server/testing/databases';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { startSecondWorker, type SecondWorker } from '@kethub/server/testing/second-worker';
import { startSplitKethub, type SplitKethub } from '@kethub/server/testing/split-kethub';
import { attack } from '@kethub/runtime/escapes';
import { EVIL, filesOfAll } from '@kethub/runtime/escapes';
import { HOSTILE_RUNS } from '@kethub/runtime/escapes';
import type { EscapeDriver } from '@kethub/runtime/escapes';
import type { ExecutionEnd, ExecutionJob, LogLine } from '@kethub/runtime';

/**
 * They depend on limits, hosts or variables that a version does not have here. floods.deep.test.ts has similar ones.
 */
const NOT_HERE = [
  'loader_variables', 'egress', 'costly_result', 'huge_files', 'sparse_files', 'million_files', 'temporary_files', 'disk_fill',
  'unlinked_files', 'image_folders', 'files_in_flight', 'full_queues', 'log_flood', 'fork_bomb', 'memory_fill', 'memory_files',
]; // prettier-ignore
const PROGRAM = `import importlib


def run(program: str, given: dict):
    return importlib.import_module("src." + program).run(**given)
`;

function lost(executionId: string, detail: string): ExecutionEnd {
  const cause = { type: 'NotRead', title: 'Its end could not be read', detail };
  const none = { result: null, files: [], peakMemoryBytes: null, cpuMs: null, logBytes: 0, startedAt: 0, endedAt: 0 };
  return { executionId, outcome: 'LOST', cause, ...none };
}

/** Runs hostile programs as executions of a service, over HTTP, as anybody can. The victim belongs to another user. */
async function driverOf(
  kethub: SplitKethub,
  kept: () => number,
  ofProgram: (name: string) => Caller,
): Promise<EscapeDriver> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kethub-escaped-'));
  const started = new Map<string, { app: Caller; id: string; ended: boolean }>();
  const listeners = new Set<(end: ExecutionEnd) => void>();
  const known = (executionId: string) => {
    const one = started.get(executionId);
    if (!one) throw new Error(`${executionId} was not started`);
    return one;
  };
  const endOf = async (executionId: string): Promise<ExecutionEnd> => {
    const { app, id } = known(executionId);
    for (;;) {
      const { status } = (await app.request('GET', `/${id}`, { headers: { prefer: 'wait=30' } })).body as { status: string };
      if (['PENDING', 'RUNNING'].includes(status)) continue;
      // A cancelled execution is reported at once; its processes have some seconds. The victim goes on.
      while (kept() > 1) await pause(50);
      const { _links, ...body } = (await app.request('GET', `/${id}/result`)).body as { _links: Record<string, unknown> };
      const files = [];
      for (const name of Object.keys(_links).filter((link) => link !== 'self' && link !== 'status')) {
        // Any media type is allowed, so JSON is not expected.
        const { href } = _links[name] as { href: string };
        const answer = await fetch(href, { headers: { authorization: `Bearer ${app.bearer}` } });
        const content = Buffer.from(await answer.arrayBuffer());
        const target = path.join(folder, executionId, String(files.length));
        await mkdir(path.dirname(target), { recursive: true });
        await writeFile(target, content, { mode: 0o600 });
        files.push({ name, bytes: content.length, path: target });
      }
      const text = JSON.stringify(body);
      const isWell = status === 'SUCCEEDED';
      return {
        executionId,
        outcome: status as ExecutionEnd['outcome'],
        cause: isWell ? null : (body as unknown as ExecutionEnd['cause']),
        startedAt: 0,
        endedAt: 0,
        result: isWell ? { path: '', bytes: text.length, isObject: true, reservedMembers: false, text } : null,
        files,
        peakMemoryBytes: null,
        cpuMs: null,
        logBytes: 0,
      };
    }
  };
  const logOf = async (executionId: string): Promise<LogLine[]> => {
    const { app, id } = known(executionId);
    return (await app.request('GET', `/${id}/log`)).body as LogLine[];
  };
  const runtime = {
    status: () => Promise.resolve({ runnerPid: process.pid, running: [], warm: [] }),
    async start({ executionId, code, input }: Omit<ExecutionJob, 'code'> & { code: { image: string } }) {
      const app = ofProgram(code.image);
      const { id } = await app.start({ program: code.image, given: JSON.parse(input) as unknown });
      started.set(executionId, { app, id, ended: false });
      void endOf(executionId).catch((error: unknown) => lost(executionId, String(error))).then((end) => {
        known(executionId).ended = true;
        for (const listener of listeners) listener(end);
      });
    },
    async cancel(executionId: string) {
      const { app, id } = known(executionId);
      expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    },
    list: () =>
      Promise.resolve([...started].map(([executionId, { ended }]) => ({ executionId, state: ended ? 'ENDED' : 'RUNNING' }))),
    onEnded(listener: (end: ExecutionEnd) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async readLog(executionId: string, position: number) {
      const whole = Buffer.from((await logOf(executionId)).map((line) => `${JSON.stringify(line)}\n`).join(''));
      return { bytes: whole.subarray(position), nextByte: whole.length };
    },
    forget: () => Promise.resolve(),
  };
  return {
    name: 'platform',
    runtime: runtime as unknown as EscapeDriver['runtime'],
    folders: [path.dirname(kethub.settings['KETHUB_BLOBS'] ?? folder)],
    sockets: [],
    program: (name) => Promise.resolve({ code: { image: name }, environment: {} }),
    honest: [],
    builds: [],
    builder: () => {
      throw new Error('Builds are attacked without a platform');
    },
    folderOf: () => folder,
    close: () => rm(folder, { recursive: true }),
  };
} // prettier-ignore

describe.each(postgreSql)('escapes on $name with two workers', (kind) => {
  let kethub: SplitKethub;
  let second: SecondWorker;
  let driver: EscapeDriver;
  beforeAll(async () => {
    kethub = await startSplitKethub(kind);
    second = await startSecondWorker(kethub);
    const mallory = await kethub.signIn('mallory');
    const files = { ...filesOfAll(), ...EVIL, 'src/program.py': PROGRAM };
    const configuration = { cpus: 1, memoryGb: 0.25 };
    const victim = await callerOf(await deploy(kethub.client, 'Victim', files, { configuration }), kethub);
    const hostile = await callerOf(await deploy(mallory.client, 'Hostile', files, { configuration }), kethub);
    const kept = () => kethub.keptByRunner() + second.keptByRunner();
    driver = await driverOf(kethub, kept, (name) => (name === 'victim' ? victim : hostile));
  }, 300_000);
  afterAll(async () => {
    await driver.close();
    await second.close();
    await kethub.close();
  });

  test('every hostile program is contained when it is called over HTTP', { timeout: 600_000 }, async () => {
    const names = HOSTILE_RUNS.map(({ name }) => name).filter((name) => !NOT_HERE.includes(name));
    const findings = await attack(driver, undefined, names);
    expect(findings.filter(({ contained }) => !contained)).toEqual([]);
    expect(findings).toHaveLength(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
    expect(kethub.keptByRunner() + second.keptByRunner()).toBeLessThanOrEqual(1);
  });
});
