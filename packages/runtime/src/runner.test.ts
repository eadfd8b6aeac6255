import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from './client/connection.ts';
import { reachRunner } from './client/reach.ts';
import { startRunner } from './client/start-runner.ts';
import { connectRuntime, RuntimeUnavailable, type ExecutionEnd, type Runtime } from './index.ts';
import { makeRunnerPaths } from './paths.ts';
import { encodeFrame } from './protocol/frames.ts';
import type { DataPoolMount } from './types.ts';
import { isAlive, LIMITS, MiB, openBench, until, type Bench } from './testing/bench.ts';

const WAITING = 'import time\ndef run():\n    print("ready")\n    time.sleep(60)';
const states: string[] = [];
let bench: Bench;
beforeEach(async () => {
  states.length = 0;
  bench = await openBench({ onConnection: (state) => states.push(state) });
});
afterEach(async () => {
  await bench.close();
});

async function endOf(runtime: Runtime, executionId: string): Promise<ExecutionEnd> {
  return new Promise((resolve) => {
    const stop = runtime.onEnded((end) => {
      if (end.executionId !== executionId) return;
      stop();
      resolve(end);
    });
  });
}

test('an end that cannot be read is LOST, and ends no other', async () => {
  await bench.close();
  bench = await openBench({ warmBytes: 128 * MiB });
  const other = await bench.startedWith('ready', WAITING);
  const waiting = bench.service(
    'import os, time\ndef run():\n    print("ready")\n    while not os.path.exists("end"):\n        time.sleep(0.01)',
  );
  await bench.runtime.prewarm(waiting, {}, LIMITS);
  const broken = await bench.startedWith('ready', waiting);
  // A folder that is not empty is in the way of its result files.
  const { executions, workFolders } = makeRunnerPaths(bench.dataDir);
  const ended = bench.ended(broken.executionId);
  mkdirSync(join(executions, broken.executionId, 'output', 'full'), { recursive: true });
  for (const folder of readdirSync(workFolders)) writeFileSync(join(workFolders, folder, 'output', 'end'), '');
  expect(await ended).toMatchObject({ outcome: 'LOST', result: null });
  expect((await bench.runtime.status()).running.map(({ executionId }) => executionId)).toEqual([other.executionId]);
  await bench.runtime.cancel(other.executionId);
});

describe('an execution runs at most once', () => {
  test('when the same start comes many times at once, and after its end', async () => {
    const job = bench.job('import os\ndef run():\n    print("ran")\n    return os.getpid()');
    const ended = bench.ended(job.executionId);
    const answers = await Promise.all(Array.from({ length: 10 }, async () => bench.runtime.start(job)));
    expect(answers.filter((answer) => answer === 'STARTED')).toHaveLength(1);
    await ended;
    expect(await bench.runtime.start(job)).toBe('ALREADY_KNOWN');
    expect(await bench.log(job.executionId)).toHaveLength(1);
  });

  test('also when it is cancelled while it begins', async () => {
    for (let round = 0; round < 10; round++) {
      const job = bench.job(WAITING);
      const ended = bench.ended(job.executionId);
      const started = bench.runtime.start(job);
      await bench.runtime.cancel(job.executionId);
      expect((await ended).outcome).toBe('CANCELLED');
      expect(await started).toBe('STARTED');
    }
  });

  test('and is known until it is forgotten', async () => {
    const end = await bench.run('def run():\n    open("a", "w")');
    expect(await bench.runtime.list()).toEqual([{ executionId: end.executionId, state: 'ENDED', end }]);
    await bench.runtime.forget(end.executionId);
    await bench.runtime.forget(end.executionId);
    expect(await bench.runtime.list()).toEqual([]);
    await until('its files are gone', () => readdirSync(`${bench.dataDir}/runtime/trash`).length === 0);
    expect(await bench.runtime.readLog(end.executionId, 0)).toEqual({ bytes: Buffer.alloc(0), nextByte: 0 });
  });

  test('a running one cannot be forgotten', async () => {
    const job = await bench.startedWith('ready', WAITING);
    await bench.runtime.forget(job.executionId);
    expect(await bench.runtime.list()).toMatchObject([{ executionId: job.executionId, state: 'RUNNING' }]);
  });
});

/** The folder by which a test tells a program to end. Both see its real files. */
function signal(dataDir: string): DataPoolMount {
  const path = join(dataDir, 'runtime', 'signal');
  mkdirSync(path, { recursive: true });
  return { parameter: 'signal', path, writable: true };
}

describe('a platform that ends', () => {
  test('by kill -9 leaves its executions running, and the next one learns their ends', async () => {
    const script = fileURLToPath(new URL('./testing/platform-process.ts', import.meta.url));
    const job = bench.job(
      `import os, time
def run():
    print("ready")
    while not os.path.exists("/var/runtime/datapool/signal/go"): time.sleep(0.02)
    os.remove("/var/runtime/datapool/signal/go")
    return "kept"`,
      { dataPools: [signal(bench.dataDir)] },
    );
    const platform = spawn(process.execPath, [script, bench.dataDir, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => platform.stdout.once('data', resolve));
    const killed = new Promise((resolve) => platform.once('exit', resolve));
    platform.kill('SIGKILL');
    await killed;
    const known = (await bench.runtime.list()).find((one) => one.executionId === job.executionId);
    expect(known?.state).toBe('RUNNING');
    const ended = endOf(bench.runtime, job.executionId);
    writeFileSync(join(bench.dataDir, 'runtime', 'signal', 'go'), '');
    expect((await ended).outcome).toBe('SUCCEEDED');
  });

  test('by closing leaves its executions running, and the runner ends when they have', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kethub-close-'));
    const first = await connectRuntime({ dataDir, idleExitMs: 300, warmBytes: 0 });
    const { runnerPid } = await first.status();
    const job = bench.job('import time\ndef run():\n    time.sleep(0.6)');
    const sourceDir = join(dataDir, 'runtime', 'code');
    cpSync(job.code.sourceDir, sourceDir, { recursive: true });
    expect(await first.start({ ...job, code: { ...job.code, sourceDir } })).toBe('STARTED');
    await first.close();
    await expect(first.status()).rejects.toThrow(RuntimeUnavailable);
    await until('the runner has ended', () => !isAlive(runnerPid));
    const next = await connectRuntime({ dataDir, idleExitMs: 300, warmBytes: 0 });
    expect((await next.status()).runnerPid).not.toBe(runnerPid);
    expect(await next.list()).toMatchObject([
      { executionId: job.executionId, state: 'ENDED', end: { outcome: 'SUCCEEDED' } },
    ]);
    await next.close();
    rmSync(dataDir, { recursive: true });
  });

  test('two at once share one runner', async () => {
    const others = await Promise.all([bench.again(), bench.again(), bench.again()]);
    const pids = await Promise.all(
      [bench.runtime, ...others].map(async (runtime) => (await runtime.status()).runnerPid),
    );
    expect(new Set(pids).size).toBe(1);
    const job = bench.job('def run():\n    return 1');
    const ends = others.map(async (other) => endOf(other, job.executionId));
    await bench.runtime.start(job);
    for (const end of ends) expect((await end).outcome).toBe('SUCCEEDED');
  });
});

describe('a runner that is killed', () => {
  test('is replaced; what ran is LOST, what had ended is still reported, and no process is left', async () => {
    const ended = await bench.run('def run():\n    return 1');
    const job = await bench.startedWith('ready', `import os\n${WAITING.replace('print', 'os.fork(); print')}`);
    const { runnerPid, running } = await bench.runtime.status();
    const ends: ExecutionEnd[] = [];
    bench.runtime.onEnded((end) => ends.push(end));
    process.kill(runnerPid, 'SIGKILL');
    await until('both ends are reported', () => ends.length >= 2);
    expect(ends.find((end) => end.executionId === ended.executionId)).toEqual(ended);
    expect(ends.find((end) => end.executionId === job.executionId)).toMatchObject({ outcome: 'LOST', result: null });
    await until('its sandboxes are dead', () => running.every(({ pid }) => !isAlive(pid)));
    expect(states).toEqual(['CONNECTED', 'LOST', 'CONNECTED']);
    expect((await bench.runtime.status()).runnerPid).not.toBe(runnerPid);
    expect((await bench.log(job.executionId)).map((line) => line.message)).toContain('ready');
    expect(await bench.runtime.start(job)).toBe('ALREADY_KNOWN');
  });

  test('while requests are open: they fail as retryable, later ones wait for the next runner', async () => {
    const { runnerPid } = await bench.runtime.status();
    const command = bench.runtime.sandboxed({
      command: ['/bin/sleep', '60'],
      binds: [],
      environment: {},
      network: 'NONE',
      limits: LIMITS,
    });
    const refused = expect(command).rejects.toThrow(RuntimeUnavailable);
    await until('the command runs', async () => (await bench.runtime.status()).commands === 1);
    process.kill(runnerPid, 'SIGKILL');
    await refused;
    expect((await bench.run('def run():\n    return 1')).outcome).toBe('SUCCEEDED');
  });

  test('by SIGTERM (the machine stops) reports its executions as LOST', async () => {
    const job = await bench.startedWith('ready', WAITING);
    const lost = bench.ended(job.executionId);
    process.kill((await bench.runtime.status()).runnerPid, 'SIGTERM');
    expect((await lost).outcome).toBe('LOST');
  });
});

test('a data folder with a long path, in a folder that only its owner may enter', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'kethub-long-')); // mode 0700
  const dataDir = join(parent, 'x'.repeat(120));
  const runtime = await connectRuntime({ dataDir, idleExitMs: 100, warmBytes: 0 });
  try {
    const sourceDir = join(dataDir, 'runtime', 'code');
    mkdirSync(sourceDir);
    const outcome = await runtime.sandboxed({
      command: ['/bin/ls', '-d', '/app'],
      binds: [{ from: sourceDir, to: '/app', writable: false }],
      environment: {},
      network: 'NONE',
      limits: LIMITS,
    });
    expect(outcome).toEqual({ exitCode: 0, cause: null, stdout: '/app\n' });
  } finally {
    await runtime.close();
    rmSync(parent, { recursive: true });
  }
});

test('the runner has none of the environment of the platform', async () => {
  const { runnerPid } = await bench.runtime.status();
  const names = readFileSync(`/proc/${runnerPid}/environ`, 'utf8')
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.split('=')[0]);
  const ofItsShell = process.getuid?.() === 0 ? ['PWD'] : [];
  const ofNode = ['UV_THREADPOOL_SIZE', ...(getCompileCacheDir() === undefined ? [] : ['NODE_COMPILE_CACHE'])];
  expect(new Set(names)).toEqual(new Set(['PATH', ...ofItsShell, ...ofNode]));
});

describe('a runner of another version', () => {
  async function startOld(dataDir: string): Promise<ChildProcess> {
    const old = startRunner(makeRunnerPaths(dataDir), 'another-version');
    await until('it listens', () => existsSync(makeRunnerPaths(dataDir).socket));
    return old;
  }

  test('gives way when it is idle', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kethub-version-'));
    const old = await startOld(dataDir);
    const runtime = await connectRuntime({ dataDir, warmBytes: 0 });
    expect((await runtime.status()).version).not.toBe('another-version');
    await until('the old one has ended', () => old.exitCode === 0);
    await runtime.close();
    rmSync(dataDir, { recursive: true });
  });

  test('is used until it has ended what it runs, and nothing of that is lost', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kethub-version-'));
    const old = await startOld(dataDir);
    const job = bench.job(
      'import os, time\ndef run():\n    while not os.path.exists("/var/runtime/datapool/signal/go"): time.sleep(0.02)\n    os.remove("/var/runtime/datapool/signal/go")',
      { dataPools: [signal(dataDir)] },
    );
    const sourceDir = join(dataDir, 'runtime', 'code');
    cpSync(job.code.sourceDir, sourceDir, { recursive: true });
    const connection = await Connection.open(makeRunnerPaths(dataDir));
    const { input, ...header } = { ...job, code: { ...job.code, sourceDir } };
    await connection?.request('start', { job: header }, { body: Buffer.from(input) });
    const runtime = await connectRuntime({ dataDir, warmBytes: 0 });
    expect(await runtime.status()).toMatchObject({
      version: 'another-version',
      running: [{ executionId: job.executionId }],
    });
    const ended = endOf(runtime, job.executionId);
    writeFileSync(join(dataDir, 'runtime', 'signal', 'go'), '');
    expect((await ended).outcome).toBe('SUCCEEDED');
    await until('the old one has ended', () => old.exitCode === 0);
    // There is a moment without a connection. A request in that moment fails and says so.
    const version = (): Promise<string | null> =>
      runtime.status().then(
        (status) => status.version,
        () => null,
      );
    await until('its successor is reached', async () => ![null, 'another-version'].includes(await version()));
    expect(await runtime.list()).toMatchObject([{ executionId: job.executionId, state: 'ENDED' }]);
    await runtime.close();
    rmSync(dataDir, { recursive: true });
  });

  test("that has replaced ours is used, so that two platforms on one folder do not replace each other's", async () => {
    const first = (await bench.runtime.status()).runnerPid;
    const settings = { warmBytes: 0, warmPerCode: 0, warmIdleMs: 1_000, cancelGraceMs: 400, idleExitMs: 500 };
    const other = await reachRunner(makeRunnerPaths(bench.dataDir), 'another-version', settings, true);
    await until('ours has ended', () => !isAlive(first));
    await until('both use the new one', async () => (await pidOf(bench.runtime)) === other.welcome.runnerPid);
    expect((await bench.run('def run():\n    return 1')).outcome).toBe('SUCCEEDED');
    expect(await other.request('status', {})).toMatchObject({
      version: 'another-version',
      runnerPid: await pidOf(bench.runtime),
    });
    other.close();
  });

  test('and another protocol (a stand-in) is refused by a platform that had its own, and not asked to retire', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kethub-protocol-'));
    const paths = makeRunnerPaths(dataDir);
    const received: Buffer[] = [];
    const standIn = createServer((socket) => {
      socket.on('data', (chunk) => received.push(chunk));
      socket.write(encodeFrame({ event: 'welcome', protocol: 99, version: 'another-version', runnerPid: process.pid }));
    });
    await new Promise<void>((resolve) => standIn.listen(paths.socket, resolve));
    const settings = { warmBytes: 0, warmPerCode: 0, warmIdleMs: 1_000, cancelGraceMs: 400 };
    await expect(reachRunner(paths, 'our-version', settings, false)).rejects.toThrow(
      /speaks protocol 99, and this platform \d+\. .* Stop one of the two platforms\.$/,
    );
    await new Promise((resolve) => standIn.close(resolve));
    expect(Buffer.concat(received)).toHaveLength(0);
    rmSync(dataDir, { recursive: true });
  });
});

/** Null in a moment without a connection. */
async function pidOf(runtime: Runtime): Promise<number | null> {
  return runtime.status().then(
    ({ runnerPid }) => runnerPid,
    () => null,
  );
}
