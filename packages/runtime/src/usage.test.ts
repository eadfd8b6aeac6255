import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS, MiB, openBench, type Bench } from './testing/bench.ts';

const START = fileURLToPath(new URL('testing/start-runner-here.ts', import.meta.url));
const HIDE = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ warmBytes: 256 * MiB, cancelGraceMs: 10_000 }, (dataDir) => {
    // Users other than root have no cgroups anyway. The runner is not the platform's child; it is found by its socket.
    if (process.getuid?.() !== 0) return;
    const surroundings = ['--mount', '--propagation', 'private', '/bin/sh', '-c', HIDE, 'sh'];
    const started = spawnSync('unshare', [...surroundings, process.execPath, START, dataDir], { encoding: 'utf8' });
    if (started.status !== 0) throw new Error(`No runner without cgroups: ${started.stderr}`);
  });
});
afterAll(async () => {
  await bench.close();
});

const BUSY = 'while time.process_time() < 0.4: pass';

test('without cgroups an execution has its processor time and the memory of its largest process', async () => {
  expect((await bench.runtime.status()).limitedBy).toBe('RLIMITS');
  const program = `
import os, time
def run():
    child = os.fork()
    if child == 0:
        kept = bytearray(100 << 20)
        ${BUSY}
        os._exit(0)
    os.waitpid(child, 0)
    return os.getppid()`;
  const end = await bench.run(program);
  expect(end).toMatchObject({ outcome: 'SUCCEEDED', measuredBy: 'PROCESSES' });
  expect(end.cpuMs).toBeGreaterThanOrEqual(400);
  expect(end.peakMemoryBytes).toBeGreaterThan(100 * MiB);
  expect(end.peakMemoryBytes).toBeLessThan(200 * MiB);
});

test('also when it ends by a signal, and a warm one like a cold one', async () => {
  const code = bench.service(`import os, time\ndef run():\n    ${BUSY}\n    os.kill(os.getpid(), 11)`);
  for (const warm of [false, true]) {
    if (warm) await bench.runtime.prewarm(code, {}, LIMITS);
    const waiting = (await bench.runtime.status()).warm.map(({ sourceDir }) => sourceDir);
    expect(waiting.includes(code.sourceDir)).toBe(warm);
    const end = await bench.run(code, { warm });
    expect(end).toMatchObject({ outcome: 'FAILED', measuredBy: 'PROCESSES' });
    expect(end.cause?.detail).toContain('SIGSEGV');
    expect(end.cpuMs).toBeGreaterThanOrEqual(400);
  }
});

test('and when it is ended from outside, after its time or because it was cancelled', async () => {
  const busy = 'import time\ndef run():\n    print("ready")\n    while True: pass';
  const late = await bench.run(busy, { limits: { runTimeMs: 3_000 } });
  expect(late).toMatchObject({ outcome: 'FAILED', measuredBy: 'PROCESSES' });
  expect(late.cpuMs).toBeGreaterThan(0);
  const polite = `
import signal, sys, time
def run():
    signal.signal(signal.SIGTERM, lambda *_: (print("goodbye"), sys.exit(0)))
    print("ready")
    time.sleep(60)`;
  const job = await bench.startedWith('ready', polite);
  const ended = bench.ended(job.executionId);
  await bench.runtime.cancel(job.executionId);
  expect(await ended).toMatchObject({ outcome: 'CANCELLED', measuredBy: 'PROCESSES' });
  expect((await bench.log(job.executionId)).map(({ message }) => message)).toContain('goodbye');
});

test('as many processes as its limit says are its own', async () => {
  const program = `
import os, time
def run():
    for made in range(100):
        try:
            if os.fork() == 0:
                time.sleep(60)
        except OSError:
            return made`;
  // The process itself, and the first one of the sandbox.
  expect(await bench.result(program, { limits: { processes: 20 } })).toBe(18);
});
