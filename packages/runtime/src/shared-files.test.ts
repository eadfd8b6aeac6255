import { linkSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBench, until, type Bench } from './testing/bench.ts';
import type { Code } from './types.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ warmBytes: 128 * 2 ** 20 });
});
afterAll(async () => {
  await bench.close();
});

/** Locks one file and one folder of every mount, in every way; the other side reports what it sees. */
const LOCKS = `
import fcntl, os, struct, sys, time
EVERYWHERE = ("/proc", "/dev", "/tmp", "/var/runtime/output")
F_OFD_GETLK, F_OFD_SETLK = 36, 37
held = []
def mounts():
    return sorted({line.split()[4] for line in open("/proc/self/mountinfo")})
def places():
    for at in mounts():
        if at in ("/", "/tmp", "/dev", "/var/runtime/output") or at.startswith("/proc"):
            continue  # made for this sandbox alone, or values of the kernel
        yield at
        for folder, _, files in os.walk(at):
            yield from (os.path.join(folder, name) for name in files[:1])
            break
def record(kind):
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)
def hold():
    for place in places():
        held.append(os.open(place, os.O_RDONLY))
        fcntl.flock(held[-1], fcntl.LOCK_EX)
        fcntl.fcntl(held[-1], fcntl.F_SETLK, record(fcntl.F_RDLCK))
        held.append(os.open(place, os.O_RDONLY))
        fcntl.fcntl(held[-1], F_OFD_SETLK, record(fcntl.F_RDLCK))
def look():
    seen, looked = [], 0
    for place in places():
        looked += 1
        descriptor = os.open(place, os.O_RDONLY)
        try: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: seen.append("flock " + place)
        for name, command in (("fcntl", fcntl.F_GETLK), ("ofd", F_OFD_GETLK)):
            found = struct.unpack("hhqqi4x", fcntl.fcntl(descriptor, command, record(fcntl.F_WRLCK)))[0]
            if found != fcntl.F_UNLCK: seen.append(name + " " + place)
    return {"looked": looked, "seen": seen, "mounts": mounts()}
def run(hold_for=0, **_):
    if not hold_for:
        return look()
    hold()
    print("holds", flush=True)
    time.sleep(hold_for)`;

function shared(): { code: Code; pool: string } {
  const code = bench.service(LOCKS);
  const [layerDir, pool] = ['layer', 'pool'].map((name) => join(bench.dataDir, 'runtime', `${name}-${Date.now()}`));
  for (const folder of [layerDir ?? '', pool ?? '']) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'common.py'), '');
  }
  return { code: { ...code, layerDir: layerDir ?? '' }, pool: pool ?? '' };
}

/** Kills the process of a runner that mounts overlays. */
function killMounter(runnerPid: number): void {
  const children = readFileSync(`/proc/${runnerPid}/task/${runnerPid}/children`, 'latin1').trim().split(' ');
  const mounter = children.find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('def mount(lower, at)'),
  );
  process.kill(Number(mounter), 'SIGKILL');
}

describe.runIf(process.getuid?.() === 0)('executions of one version, one layer and one data pool', () => {
  test('see no lock of each other, whatever they have in common', async () => {
    const { code, pool } = shared();
    const copy = `${pool}-again`; // laid out as data pools are: links to the same files
    mkdirSync(copy);
    linkSync(join(pool, 'common.py'), join(copy, 'common.py'));
    const pools = (path: string) => [{ parameter: 'pool', path, writable: false }];
    const holder = await bench.startedWith('holds', code, { input: { hold_for: 60 }, dataPools: pools(pool) });
    for (const path of [pool, copy]) {
      // Its successor takes over.
      killMounter((await bench.runtime.status()).runnerPid);
      const found = (await bench.result(code, { dataPools: pools(path) })) as { looked: number; mounts: string[] };
      expect(found).toMatchObject({ seen: [] });
      expect(found.looked).toBeGreaterThan(10);
      expect(found.mounts).toEqual(expect.arrayContaining(['/app', '/deps', '/usr', '/var/runtime/datapool/pool']));
    }
    // A build sees the same layer and source.
    const { sourceDir, layerDir } = code;
    const asked = await bench.runtime.sandboxed({
      command: [
        '/usr/bin/python3',
        '-I',
        '-S',
        '-B',
        '-c',
        'import sys; sys.path.insert(0, "/app/src"); import program; print(program.look()["seen"])',
      ],
      binds: [
        { from: sourceDir, to: '/app', writable: false },
        { from: layerDir ?? '', to: '/deps', writable: false },
      ],
      environment: {},
      network: 'NONE',
      limits: {
        memoryBytes: 2 ** 28,
        cpus: 1,
        processes: 16,
        runTimeMs: 60_000,
        tmpBytes: 2 ** 20,
        fileBytes: 2 ** 20,
        logBytes: 2 ** 20,
      },
    });
    expect(asked).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    const ended = bench.ended(holder.executionId);
    await bench.runtime.cancel(holder.executionId);
    await ended;
  });

  test('leave no more mounts than are kept for the next', async () => {
    const { runnerPid } = await bench.runtime.status();
    const mounts = (): number => readFileSync(`/proc/${runnerPid}/mountinfo`, 'utf8').split('\n').length;
    const { code, pool } = shared();
    const round = async (): Promise<void> => {
      const dataPools = [{ parameter: 'pool', path: pool, writable: false }];
      for (let time = 0; time < 3; time++) await bench.run(code, { dataPools, warm: false });
    };
    await round();
    await until('overlays of data pools are unmounted', async () => {
      const before = mounts();
      await round();
      return mounts() <= before;
    });
    expect(readdirSync(pool)).toEqual(['common.py']);
  });
});
