import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRunnerPaths } from './paths.ts';
import { MiB, openBench, until, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ warmBytes: 128 * MiB });
});
afterAll(async () => {
  await bench.close();
});

/** The number of executions of each kind. */
const EACH = 8;

test('executions of all kinds leave nothing open in the runner, and nothing on its disk', async () => {
  const { runnerPid } = await bench.runtime.status();
  const descriptors = (): number => readdirSync(`/proc/${runnerPid}/fd`).length;
  const code = bench.service(`
import os, time
def run(what="end"):
    print("ready")
    if what == "wait":
        time.sleep(60)
    if what == "die":
        os._exit(3)
    open("/var/runtime/output/file", "w").write("kept")
    return what`);
  const finish = async (what: string, more: object = {}): Promise<void> => {
    const { executionId } = await bench.run(code, { input: { what }, ...more });
    await bench.runtime.forget(executionId);
  };
  const cancel = async (): Promise<void> => {
    const { executionId } = await bench.startedWith('ready', code, { input: { what: 'wait' } });
    const ended = bench.ended(executionId);
    await bench.runtime.cancel(executionId);
    await ended;
    await bench.runtime.forget(executionId);
  };
  const refuse = async (): Promise<void> => {
    const nowhere = { sourceDir: '/nowhere', layerDir: null, imports: [] };
    await expect(bench.runtime.start(bench.job(nowhere))).rejects.toThrow();
  };
  const all = async (): Promise<void> => {
    for (let time = 0; time < EACH; time++)
      await Promise.all([finish('end'), finish('die'), finish('end', { warm: false }), cancel(), refuse()]);
  };
  await all();
  // As many sandboxes wait for the next execution as before.
  await until('a warm worker waits', async () => (await bench.runtime.status()).warm.length === 1);
  await pause(500);
  const before = descriptors();
  await all();
  await until('a warm worker waits', async () => (await bench.runtime.status()).warm.length === 1);
  await until('nothing more is open', () => Promise.resolve(descriptors() <= before));
  const { executions, trash, workFolders } = makeRunnerPaths(bench.dataDir);
  expect(readdirSync(executions)).toEqual([]);
  await until('nothing is in the trash', () => Promise.resolve(readdirSync(trash).length === 0));
  // Two prestarted sandboxes and the warm one.
  await until('no folder of a sandbox is left', () => Promise.resolve(readdirSync(workFolders).length <= 3));
}, 180_000);
