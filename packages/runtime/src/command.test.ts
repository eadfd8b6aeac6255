import { mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSandbox, type LogLine, type SandboxedCommand } from './index.ts';
import { isAlive, LIMITS, MiB, openBench, until, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => {
  await bench.close();
});

function python(program: string, more: Partial<SandboxedCommand> = {}): SandboxedCommand {
  return {
    command: ['/usr/bin/python3', '-I', '-S', '-u', '-c', program],
    binds: [],
    environment: {},
    network: 'NONE',
    limits: LIMITS,
    ...more,
  };
}

function folder(name: string): string {
  const path = `${bench.dataDir}/runtime/${name}`;
  mkdirSync(path, { recursive: true });
  return path;
}

test('reports exit code, stdout and every line as it comes', async () => {
  const lines: LogLine[] = [];
  const request = python('import sys\nprint("out", sys.stdin.read())\nprint("err", file=sys.stderr)\nsys.exit(3)', {
    input: 'given',
    onLine: (line) => lines.push(line),
  });
  expect(await bench.runtime.sandboxed(request)).toEqual({ exitCode: 3, cause: null, stdout: 'out given\n' });
  expect(lines.map(({ severity, message }) => `${severity} ${message}`).sort()).toEqual([
    'INFO out given',
    'WARNING err',
  ]);
});

test('a writable folder belongs to the command while it runs, and to us afterwards', async () => {
  const work = folder('work');
  writeFileSync(`${work}/mine`, 'before', { mode: 0o600 });
  symlinkSync('/etc/hostname', `${work}/outside`);
  const before = statSync('/etc/hostname');
  const program = `
import os
open("/work/mine", "a").write(" and after")
os.makedirs("/work/a/b"); open("/work/a/b/suid", "w").write("x"); os.chmod("/work/a/b/suid", 0o4700); os.chmod("/work/a", 0o0)`;
  const outcome = await bench.runtime.sandboxed(
    python(program, { binds: [{ from: work, to: '/work', writable: true }] }),
  );
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(readFileSync(`${work}/mine`, 'utf8')).toBe('before and after');
  expect(statSync(`${work}/a/b/suid`)).toMatchObject({ uid: process.getuid?.(), mode: 0o100755 });
  expect(statSync('/etc/hostname')).toMatchObject({ uid: before.uid, mode: before.mode });
});

test('a folder that is not writable stays as it is', async () => {
  const from = folder('fixed');
  const outcome = await bench.runtime.sandboxed(
    python('open("/fixed/x", "w")', { binds: [{ from, to: '/fixed', writable: false }] }),
  );
  expect(outcome.exitCode).toBe(1);
});

test.each([
  ['run time', 'while True: pass', { runTimeMs: 300 }, 'Run time limit exceeded'],
  ['a signal', 'import os; os.kill(os.getpid(), 11)', {}, 'Ended by a signal'],
])('%s that ends it is explained in words', async (_name, program, limits, title) => {
  const outcome = await bench.runtime.sandboxed(python(program, { limits: { ...LIMITS, ...limits } }));
  expect(outcome).toMatchObject({ exitCode: null, cause: { title } });
});

test('memory that ends it is explained in words', async ({ skip }) => {
  skip((await bench.runtime.status()).limitedBy === 'RLIMITS', 'without cgroups it is an exception of the program');
  const limits = { ...LIMITS, memoryBytes: 64 * MiB };
  const outcome = await bench.runtime.sandboxed(python('kept = bytearray(200 << 20)', { limits }));
  expect(outcome).toMatchObject({ exitCode: null, cause: { title: 'Memory limit exceeded' } });
});

test('files and lines are bounded', async () => {
  const lines: string[] = [];
  const program = `
import errno
for _ in range(200): print("x" * 99)
try:
    with open("/work/big", "wb", buffering=0) as file:
        while True: file.write(bytes(1 << 20))
except OSError as error: print(errno.errorcode[error.errno])`;
  const outcome = await bench.runtime.sandboxed(
    python(program, {
      binds: [{ from: folder('big'), to: '/work', writable: true }],
      limits: { ...LIMITS, fileBytes: 4 * MiB, logBytes: 1000 },
      onLine: (line) => lines.push(line.message),
    }),
  );
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toContain('limit of 1000 bytes');
  expect(outcome.stdout).toContain('EFBIG');
});

test('aborting ends it and all it has started', async () => {
  const abort = new AbortController();
  const running = bench.runtime.sandboxed(
    python('import os, time\nos.fork()\nprint("ready", flush=True)\ntime.sleep(60)', {
      signal: abort.signal,
      onLine: () => {
        abort.abort();
      },
    }),
  );
  expect(await running).toMatchObject({ exitCode: null, cause: { title: 'Aborted' } });
  await expect(bench.runtime.sandboxed(python('pass', { signal: AbortSignal.abort() }))).resolves.toMatchObject({
    exitCode: null,
  });
});

test('aborting at any moment of its start leaves nothing and nobody waiting', async () => {
  for (let round = 0; round < 60; round++) {
    const abort = new AbortController();
    const running = bench.runtime.sandboxed(python('import time\ntime.sleep(60)', { signal: abort.signal }));
    await pause(round / 10); // 0 to 6 ms: before bubblewrap reports, while it mounts, when Python begins
    abort.abort();
    expect(await running).toMatchObject({ exitCode: null, cause: { title: 'Aborted' } });
  }
});

test('it ends when its platform does', async () => {
  const other = await bench.again();
  const running = other.sandboxed(python('import time\ntime.sleep(60)'));
  const lost = expect(running).rejects.toThrow(/lost|answer/);
  await until('the command runs', async () => (await bench.runtime.status()).commands === 1);
  await other.close();
  await lost;
  await until('the command has ended', async () => (await bench.runtime.status()).commands === 0);
  expect(isAlive((await bench.runtime.status()).runnerPid)).toBe(true);
});

test('it has the network of this machine only when that is asked for', async () => {
  const program = 'import os; print(os.readlink("/proc/self/ns/net"))';
  const ours = `${readlinkSync('/proc/self/ns/net')}\n`;
  expect((await bench.runtime.sandboxed(python(program))).stdout).not.toBe(ours);
  expect((await bench.runtime.sandboxed(python(program, { network: 'HOST' }))).stdout).toBe(ours);
});

test('the check of a machine starts a real sandbox', async () => {
  expect(await checkSandbox()).toEqual({ usable: true, how: expect.stringMatching(/^bubblewrap, limits by/) });
});
