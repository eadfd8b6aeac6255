import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionEnd } from './index.ts';
import { MiB, openBench, until, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => {
  await bench.close();
});

async function byCgroups(): Promise<boolean> {
  return (await bench.runtime.status()).limitedBy !== 'RLIMITS';
}

test('memory', async () => {
  const program = 'def run():\n    kept = []\n    while True: kept.append(bytearray(8 << 20))';
  const end = await bench.run(program, { limits: { memoryBytes: 96 * MiB } });
  expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'Memory limit exceeded' } });
  expect(end.cause?.detail).toContain('more than 96 MiB of memory');
  if (await byCgroups()) expect(end.peakMemoryBytes).toBeGreaterThan(64 * MiB);
  expect((await bench.log(end.executionId)).at(-1)?.message).toContain('Memory limit exceeded');
});

test('memory counts what all processes and /tmp take together', async ({ skip }) => {
  skip(!(await byCgroups()), 'rlimits hold per process');
  const program = `
import os, time
def run():
    open("/tmp/block", "wb").write(bytes(48 << 20))
    for _ in range(4):
        if os.fork() == 0:
            kept = bytearray(32 << 20)
            time.sleep(60)
    os.wait()
    raise Exception("a process was ended")`;
  const end = await bench.run(program, { limits: { memoryBytes: 128 * MiB, tmpBytes: 64 * MiB } });
  expect(end.outcome).toBe('FAILED');
});

test('run time', async () => {
  const end = await bench.run('def run():\n    while True: pass', { limits: { runTimeMs: 300 } });
  expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'Run time limit exceeded' } });
  expect(end.cause?.detail).toContain('0.3 seconds');
});

test('processor', async ({ skip }) => {
  skip(!(await byCgroups()), 'rlimits cannot slow a program down');
  const program = `
import time
def run():
    while time.process_time() < 0.1: pass
    start, used = time.monotonic(), time.process_time()
    while time.monotonic() - start < 1: pass
    return (time.process_time() - used) / (time.monotonic() - start)`;
  expect(await bench.result(program, { limits: { cpus: 0.25 } })).toBeLessThan(0.4);
});

test('a fork bomb meets its limit and is gone when the execution ends', async () => {
  const program = `
import os, time
def run():
    made = 0
    try:
        while True:
            if os.fork() == 0:
                os.setsid()
                time.sleep(60)
            made += 1
    except OSError as error:
        return [made, error.errno]`;
  const [made, errno] = (await bench.result(program, { limits: { processes: 20 } })) as [number, number];
  expect(errno).toBe(11);
  expect(made).toBeLessThan(20);
});

test('a fork bomb that never ends is ended with everything it made', async () => {
  const end = await bench.run(
    'import os\ndef run():\n    while True:\n        try: os.fork()\n        except OSError: pass',
    {
      limits: { runTimeMs: 700, processes: 50 },
    },
  );
  expect(end.cause?.title).toBe('Run time limit exceeded');
});

test('size of /tmp, which is /dev/shm as well, and of one file', async () => {
  const program = `
def fill(path):
    try:
        with open(path, "wb", buffering=0) as file:
            while True: file.write(bytes(1 << 20))
    except OSError as error:
        return error.errno
def run():
    return [fill("/dev/shm/block"), fill("/tmp/block"), fill("/var/runtime/output/block")]`;
  const value = await bench.result(program, { limits: { tmpBytes: 8 * MiB, fileBytes: 16 * MiB } });
  expect(value).toEqual([28, 28, 27]); // ENOSPC, EFBIG
});

test('result', async () => {
  const end = await bench.run('def run():\n    return "x" * 2000', { limits: { resultBytes: 1000 } });
  expect(end).toMatchObject({ outcome: 'FAILED', result: null, cause: { title: 'Result limit exceeded' } });
  expect(end.cause?.detail).toContain('the limit is 1000 bytes');
});

test('a result of megabytes is checked beside the other executions', async () => {
  expect(await bench.result('def run():\n    return {"_links": 1, "x": "y" * 900_000}')).toHaveProperty('x');
});

test('number and size of result files: beyond it is FAILED, with the first of them', async () => {
  const program = 'def run():\n    for name in "abcd": open(name, "wb").write(bytes(1000))';
  const few = await bench.run(program, { limits: { outputFiles: 3 } });
  const exceeded = { outcome: 'FAILED', result: null, cause: { type: 'OutputLimitExceeded' } };
  expect(few).toMatchObject({ ...exceeded, files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  expect(few.cause?.detail).toMatch(/more than 3 files .* 3 files are kept/);
  expect((await bench.log(few.executionId)).at(-2)?.message).toContain('at most 3 files');
  const small = await bench.run(program, { limits: { outputBytes: 2500 } });
  expect(small).toMatchObject({ ...exceeded, files: [{ name: 'a' }, { name: 'b' }] });
  expect(small.cause?.detail).toMatch(/more than 2.4 KiB .* 2 files are kept/);
  const exact = await bench.run(program, { limits: { outputFiles: 4, outputBytes: 4_000 } });
  expect([exact.outcome, exact.files.length]).toEqual(['SUCCEEDED', 4]);
});

test('a program that fills the disk is ended', async () => {
  const program = `
import os
def run():
    os.makedirs("deep/er")
    number = 0
    while True:
        number += 1
        open(f"deep/er/{number}", "wb").write(bytes(1 << 20))`;
  const end = await bench.run(program, { limits: { outputBytes: 32 * MiB, cpus: 0.2 } });
  expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'Output limit exceeded' } });
});

const HIDING = {
  'that are open': 'kept.append(file)',
  'that never had a name': 'os.close(file); kept.append(filled(os.open(".", os.O_TMPFILE | os.O_RDWR)))',
  'that are mapped': 'kept.append(mmap.mmap(file, 4096)); os.close(file)',
  'that a child has open': 'kept.append(os.fork() or time.sleep(60)); os.close(file)',
  'that are on their way through a socket':
    'pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))]); os.close(file)',
};

test.each(Object.entries(HIDING))('deleted files %s count as output', async (_how, hide) => {
  const program = `
import array, mmap, os, socket, time
kept, pair = [], socket.socketpair()
def filled(file):
    for _ in range(4): os.write(file, bytes(1 << 20))
    return file
def run():
    for number in range(12):
        file = filled(os.open("deleted", os.O_CREAT | os.O_RDWR))
        os.unlink("deleted")
        ${hide}
    time.sleep(60)`;
  const end = await bench.run(program, { limits: { outputBytes: 8 * MiB, fileBytes: 8 * MiB } });
  expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'Output limit exceeded' } });
});

test('deleted and sparse files count with what they take on the disk', async () => {
  const program = `
import os, time
def run():
    for name in "abc":
        os.truncate(os.open(name, os.O_CREAT | os.O_RDWR), 60 << 20)
        if name != "c": os.unlink(name)
    time.sleep(2)
    os.unlink("c") # as a result file it would count with its length
    return "done"`;
  expect(await bench.result(program, { limits: { outputBytes: 8 * MiB } })).toBe('done');
});

test('on a disk that is nearly full nothing starts, and what holds the most is ended first', async () => {
  const full = await openBench();
  try {
    const writing = `
import time
def run(blocks):
    with open("file", "wb") as file:
        for _ in range(blocks): file.write(bytes(1 << 20))
    print("ready", flush=True)
    time.sleep(60)`;
    const [none, small, large] = [
      await full.startedWith('ready', writing, { input: { blocks: 1 } }),
      await full.startedWith('ready', writing, { input: { blocks: 18 } }),
      await full.startedWith('ready', writing, { input: { blocks: 40 } }),
    ];
    const ends: ExecutionEnd[] = [];
    full.runtime.onEnded((end) => ends.push(end));
    const other = await full.again({ freeBytes: 2 ** 50 });
    await expect(other.start(full.job('def run():\n    return 1'))).rejects.toThrow(/nearly full: free \d+ MiB/);
    await until('two are ended', () => ends.length === 2);
    expect(ends.map(({ executionId }) => executionId)).toEqual([large.executionId, small.executionId]);
    for (const end of ends) expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'DiskFull' } });
    expect((await other.status()).running).toMatchObject([{ executionId: none.executionId }]);
    await full.again();
    expect(await full.result('def run():\n    return 1')).toBe(1);
  } finally {
    await full.close();
  }
});

test('a log of 1 GB neither fails the execution nor stops another one', { timeout: 150_000 }, async () => {
  const loud = bench.run(
    'import os\ndef run():\n    for _ in range(1000): os.write(1, b"y" * 99 + b"\\n" + b"z" * 999_900)',
    {
      limits: { logBytes: 200_000, runTimeMs: 120_000 },
    },
  );
  expect((await bench.run('def run():\n    return 1')).outcome).toBe('SUCCEEDED');
  const end = await loud;
  expect(end.outcome).toBe('SUCCEEDED');
  const log = await bench.log(end.executionId);
  expect(log.at(-1)?.message).toContain('limit of 200000 bytes');
  expect(end.logBytes).toBeLessThan(201_000);
  expect(statSync(`${bench.dataDir}/runtime/executions/${end.executionId}/log.ndjson`).size).toBe(end.logBytes);
});

test('a program that prints without a line break does not fill our memory', async () => {
  const end = await bench.run('import os\ndef run():\n    for _ in range(200): os.write(1, b"z" * 1_000_000)');
  expect(end.outcome).toBe('SUCCEEDED');
});
