import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, LIMITS, MiB, openBench, resultOf, until, type Bench } from './testing/bench.ts';
import type { Code, RuntimeOptions } from './index.ts';
import { descendantsOf, usageBelow } from './sandbox/usage.ts';

const SLOW_IMPORT =
  'import decimal, json\ndef run():\n    import os, time\n    return [os.getpid(), "decimal" in __import__("sys").modules]';
let bench: Bench | null = null;
let service: Code;

async function open(options: Partial<RuntimeOptions> = {}): Promise<Bench> {
  bench = await openBench({ warmBytes: 256 * MiB, ...options });
  service = bench.service(SLOW_IMPORT, ['decimal']);
  return bench;
}

beforeEach(() => {
  bench = null;
});
afterEach(async () => {
  await bench?.close();
});

/** A service with packages of these modules, which a worker imports before its job comes. */
function withLayer(bench: Bench, program: string, modules: Record<string, string>): Code {
  const code = bench.service(program, Object.keys(modules));
  const layerDir = `${code.sourceDir}-layer`;
  mkdirSync(layerDir);
  for (const [name, text] of Object.entries(modules)) writeFileSync(`${layerDir}/${name}.py`, text);
  return { ...code, layerDir };
}

async function warmPids(of: Bench): Promise<number[]> {
  return (await of.runtime.status()).warm.map(({ pid }) => pid);
}

test('a worker waits for each next execution, and every execution has a process of its own', async () => {
  const bench = await open();
  await bench.run(service);
  const used = new Set<number>();
  for (let round = 0; round < 4; round++) {
    const [pid = -1] = await warmPids(bench);
    expect(isAlive(pid)).toBe(true);
    expect(used.has(pid)).toBe(false);
    used.add(pid);
    const job = bench.job(service);
    const ended = bench.ended(job.executionId);
    const started = bench.runtime.start(job);
    await started;
    expect((await ended).outcome).toBe('SUCCEEDED');
    await until('the worker has ended', () => !isAlive(pid));
  }
});

test('a warm execution is served by the worker that waited', async () => {
  const bench = await open();
  const waiting = bench.service('import time\ndef run():\n    print("ready")\n    time.sleep(60)', ['json']);
  await bench.runtime.prewarm(waiting, {}, LIMITS);
  const [pid] = await warmPids(bench);
  const job = await bench.startedWith('ready', waiting);
  expect((await bench.runtime.status()).running).toEqual([{ executionId: job.executionId, pid }]);
});

test('nothing of one execution is there for the next: memory, files, environment, sockets, chance', async () => {
  const bench = await open();
  const program = `
import os, json, random, socket, uuid

def everything():
    text = b""
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            place, rights = line.split()[:2]
            first, last = (int(part, 16) for part in place.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(first)
                text += memory.read(last - first)
    return text

def is_there(backwards):
    # The memory is turned around, not the mark: what is looked for must not be there because it is looked for.
    return everything()[::-1].find(backwards.encode()) >= 0

def run(before, mark, token):
    seen = [os.listdir("/tmp"), os.listdir("."), getattr(json, "mark", None), os.environ.get("MARK"), os.environ.get("PROVIDER")]
    seen.append(is_there(before))
    try:
        socket.socket(socket.AF_UNIX).bind("\\0" + "same")
    except OSError as error:
        seen.append(str(error))
    chance = [random.random(), uuid.uuid4().hex, hash("text"), id(seen)]
    kept = mark[::-1] + token.unwrap()
    random.seed(1)
    open("/tmp/mark", "w").write(kept); open("mark", "w").write(kept)
    json.mark = kept; os.environ["MARK"] = kept; os.environ["PROVIDER"] = "changed"
    assert is_there(mark)
    if os.fork() == 0:
        os.setsid()
        while True: pass
    return {"seen": seen, "chance": chance}`;
  const code = bench.service(program, ['json', 'random', 'uuid', 'socket']);
  const chances: unknown[] = [];
  let before: string = randomUUID();
  for (let round = 0; round < 4; round++) {
    const mark = randomUUID();
    const secretEnvironment = round % 2 === 0 ? { PROVIDER: `token-${round}` } : {};
    const order = { input: { before, mark }, secrets: { token: `secret-${round}` }, secretEnvironment };
    const { seen, chance } = (await bench.result(code, order)) as { seen: unknown[]; chance: unknown[] };
    expect(seen).toEqual([[], [], null, null, secretEnvironment.PROVIDER ?? null, false]);
    chances.push(...chance.slice(0, 3));
    before = mark;
    await until('a worker waits', async () => (await warmPids(bench)).length === 1);
  }
  expect(new Set(chances).size).toBe(chances.length);
});

test('a version can do without: no process waits for it, and none that waits is taken', async () => {
  const bench = await open();
  await bench.runtime.prewarm(service, {}, LIMITS);
  const [pid] = await warmPids(bench);
  for (let round = 0; round < 2; round++) await bench.run(service, { warm: false });
  expect(await warmPids(bench)).toEqual([pid]);
  const other = bench.service(SLOW_IMPORT, ['decimal']);
  await bench.run(other, { warm: false });
  expect(await warmPids(bench)).toEqual([pid]);
});

test('files, secrets, log and limits work as in a cold start', async () => {
  const bench = await open();
  const program = `
import json
print("imported")
def run(token):
    print("called")
    open("file.txt", "w").write(token.unwrap())`;
  const code = bench.service(program, ['json']);
  for (let round = 0; round < 3; round++) {
    const end = await bench.run(code, { secrets: { token: `t${round}` } });
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', files: [{ name: 'file.txt', bytes: 2 }] });
    expect((await bench.log(end.executionId)).map((line) => line.message)).toEqual(['imported', 'called']);
  }
  const slow = bench.service('def run():\n    while True: pass', ['json']);
  await bench.runtime.prewarm(slow, {}, { ...LIMITS, runTimeMs: 300 });
  expect((await bench.run(slow, { limits: { runTimeMs: 300 } })).cause?.title).toBe('Run time limit exceeded');
});

test('what was written while modules were imported, and not closed, is kept', async () => {
  const bench = await open();
  const text = 'file = open("late.txt", "w")\nfile.write("and ")';
  const code = withLayer(bench, 'import opener\ndef run():\n    opener.file.write("kept")', { opener: text });
  await bench.runtime.prewarm(code, {}, LIMITS);
  const end = await bench.run(code);
  expect(end.files).toMatchObject([{ name: 'late.txt', bytes: 8 }]);
});

test('another environment, another limit or a data pool does not take the worker', async () => {
  const bench = await open();
  await bench.runtime.prewarm(service, { A: '1' }, LIMITS);
  const [pid] = await warmPids(bench);
  await bench.run(service, { environment: { A: '2' } });
  await bench.run(service, { environment: { A: '1' }, limits: { memoryBytes: 200 * MiB } });
  await bench.run(service, {
    environment: { A: '1' },
    dataPools: [{ parameter: 'p', path: `${service.sourceDir}/src`, writable: false }],
  });
  expect(await warmPids(bench)).toContain(pid);
  await bench.run(service, { environment: { A: '1' } });
  expect(await warmPids(bench)).not.toContain(pid);
});

test('the environment is there while modules are imported', async () => {
  const bench = await open();
  const code = bench.service('import os\nseen = os.environ.get("MODE")\ndef run():\n    return seen', ['json']);
  await bench.runtime.prewarm(code, { MODE: 'fast' }, LIMITS);
  expect(await bench.result(code, { environment: { MODE: 'fast' } })).toBe('fast');
});

test('workers leave when idle, and the least used first when memory is short', async () => {
  const bench = await open({ warmBytes: 50 * MiB });
  const codes = [1, 2, 3, 4].map(() => bench.service('def run():\n    return 1'));
  for (const code of codes) await bench.runtime.prewarm(code, {}, LIMITS);
  const { warm } = await bench.runtime.status();
  expect(warm.length).toBeLessThan(4);
  expect(warm.at(-1)?.sourceDir).toBe(codes.at(-1)?.sourceDir);
  await bench.again({ warmBytes: 50 * MiB, warmIdleMs: 1 });
  await until('the idle workers have left', async () => (await bench.runtime.status()).warm.length === 0);
});

test('a program that ends at once is not taken for one that never got its job', async () => {
  const bench = await open();
  const code = bench.service('import os\ndef run(data):\n    print("ran")\n    os._exit(0)');
  for (let round = 0; round < 20; round++) {
    const end = await bench.run(code, { input: { data: 'x'.repeat(round * 20_000) } });
    expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'No result' } });
  }
});

test('code whose imports end the process is started cold', async () => {
  const bench = await open();
  const code = withLayer(bench, 'def run():\n    return 1', { crash: 'import os\nos._exit(0)' });
  for (let round = 0; round < 5; round++) {
    const end = await bench.run(code);
    expect(['SUCCEEDED', 'NOT_STARTED']).toContain(end.outcome);
    await until('the worker is gone', async () => (await bench.runtime.status()).warm.length === 0);
  }
  expect(await bench.result(code)).toBe(1);
});

test('closing ends the workers', async () => {
  const bench = await open();
  const job = await bench.startedWith('ready', 'import time\ndef run():\n    print("ready")\n    time.sleep(60)');
  await bench.runtime.prewarm(service, {}, LIMITS);
  const [pid = -1] = await warmPids(bench);
  await bench.runtime.close();
  expect(isAlive(pid)).toBe(false);
  const next = await bench.again();
  expect((await next.status()).running.map(({ executionId }) => executionId)).toEqual([job.executionId]);
  const ended = new Promise((resolve) => next.onEnded(resolve));
  await next.cancel(job.executionId);
  await ended;
});

test('a worker imports nothing of the service itself, whatever the record of its version says', async () => {
  const bench = await open();
  const evil = 'print("ran before its job")\ndef run():\n    import sys\n    return "decimal" in sys.modules';
  const code = bench.service(evil, ['src.program', 'src', 'beside', 'beside,src.program', '../src/program', 'decimal']);
  writeFileSync(`${code.sourceDir}/beside.py`, 'print("ran before its job")');
  await bench.runtime.prewarm(code, {}, LIMITS);
  const [pid = -1] = await warmPids(bench);
  await until('the worker is frozen', () => isFrozen(pid));
  const job = bench.job(code);
  const began = Date.now();
  const [end] = await Promise.all([bench.ended(job.executionId), bench.runtime.start(job)]);
  expect(resultOf(end)).toBe(true);
  const [line] = await bench.log(job.executionId);
  expect(line?.message).toBe('ran before its job');
  expect(Date.parse(line?.timestamp ?? '')).toBeGreaterThanOrEqual(began);
});

test('a module of the service wins over one of the same name, also in a worker', async () => {
  const bench = await open();
  const code = bench.service('import decimal\ndef run():\n    return decimal.mine', ['decimal', 'json']);
  writeFileSync(`${code.sourceDir}/decimal.py`, 'mine = True');
  await bench.runtime.prewarm(code, {}, LIMITS);
  expect(await bench.result(code)).toBe(true);
});

test('a worker stands still from its imports on, with all that they have started, and goes on with its job', async () => {
  const bench = await open();
  const busy = `
import os, threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
threading.Thread(target=lambda: os.fork() or burn(), daemon=True).start()`;
  const code = withLayer(bench, 'def run():\n    return "served"', { busy });
  await bench.runtime.prewarm(code, {}, LIMITS);
  const [pid = -1] = await warmPids(bench);
  await until('the worker is frozen', () => isFrozen(pid));
  const before = usageBelow(pid).cpuMs;
  for (let look = 0; look < 20; look++) await pause(10);
  expect(usageBelow(pid).cpuMs).toBe(before);
  const job = bench.job(code);
  const [end] = await Promise.all([bench.ended(job.executionId), bench.runtime.start(job)]);
  expect(resultOf(end)).toBe('served');
  await until('it has ended', () => !isAlive(pid));
});

test('the limits of an execution hold while a worker imports: time, output, the size of a file', async () => {
  const bench = await open();
  const endless = withLayer(bench, 'def run():\n    return 1', { endless: 'while True: pass' });
  await bench.runtime.prewarm(endless, {}, { ...LIMITS, runTimeMs: 300 });
  await until('the endless worker is ended', async () => (await warmPids(bench)).length === 0);
  const text = 'import os\nnumber = 0\nwhile True:\n    number += 1\n    open(str(number), "wb").write(bytes(1 << 20))';
  const filling = withLayer(bench, 'def run():\n    return 1', { filling: text });
  await bench.runtime.prewarm(filling, {}, { ...LIMITS, outputBytes: 8 * MiB, cpus: 0.2 });
  await until('the filling worker is ended', async () => (await warmPids(bench)).length === 0);
  const large = `
try:
    with open("/tmp/large", "wb", buffering=0) as file:
        while file.write(bytes(1 << 20)): pass
except OSError as error:
    seen = error.errno`;
  const code = withLayer(bench, 'import large\ndef run():\n    return large.seen', { large });
  expect(await bench.result(code, { limits: { fileBytes: 4 * MiB } })).toBe(27); // EFBIG, cold
  await until('a worker waits', async () => (await warmPids(bench)).length === 1);
  expect(await bench.result(code, { limits: { fileBytes: 4 * MiB } })).toBe(27);
});

/** Returns whether the processes below bubblewrap are stopped: in a frozen cgroup, or by a signal. */
function isFrozen(pid: number): boolean {
  const group = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? '';
  const folders = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].map((top) => `${top}${group}/cgroup.events`);
  const events = folders.find((file) => group !== '/' && existsSync(file));
  if (events !== undefined) return readFileSync(events, 'utf8').includes('frozen 1');
  const all = descendantsOf(pid).slice(1); // the first process waits for the others
  return all.length > 0 && all.every((one) => /\) [TZ] /.test(readFileSync(`/proc/${one}/stat`, 'latin1')));
}
