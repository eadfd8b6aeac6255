import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartRefused, type DataPoolMount } from '../index.ts';
import { afterWaiting, MiB, resultOf, until, type Bench, type Order, type Program } from './bench.ts';

/**
 * The behaviour that every driver must have. Each program exists twice: for the Python template, and as a shell script
 * that a container runs. Both must lead to the same reports.
 */
export interface Twice {
  python: string;
  shell: string;
}

const SLEEPING: Twice = {
  python: 'import time\ndef run():\n    print("ready")\n    time.sleep(60)',
  shell: 'echo ready; exec sleep 60',
};

const LINKS =
  'import os\ndef run(pool: dict = None):\n    os.symlink("/etc/passwd", "/var/runtime/datapool/pool/link")';

/** A driver, and where the machines behind it differ. */
export interface Driver {
  readonly kind: 'PYTHON' | 'IMAGE';
  /** Opens a data folder whose executions run by this driver. */
  open(): Promise<Bench>;
  /** The program for this driver. */
  given(twice: Twice, order: Order): [Program, Order];
  /** A program that cannot be started. */
  readonly missing: Program;
  /** The source of the measurements of use; null where the engine measures nothing. */
  readonly measuredBy: RegExp | null;
  /** Network interfaces that a program sees. */
  readonly interfaces: number;
  /** True if the driver limits processes for each execution; otherwise the engine does for all. */
  readonly limitsProcesses: boolean;
  /** True if a program sees what the platform writes into a folder that it was lent. */
  readonly sharesFolders: boolean;
}

/** The tests of {@link Driver}s. Call it inside of `describe`. */
export function testDriver(driver: Driver): void {
  const isPython = driver.kind === 'PYTHON';
  let bench: Bench;

  beforeAll(async () => {
    bench = await driver.open();
  });
  afterAll(async () => {
    await bench.close();
  });

  const given = (twice: Twice, order: Order = {}): [Program, Order] => driver.given(twice, order);
  const run = async (twice: Twice, order?: Order) => bench.run(...given(twice, order));
  const logOf = async (executionId: string) => afterWaiting(await bench.log(executionId));

  test('the result comes from the input, and secrets and the environment are there as they were given', async () => {
    const end = await run(
      {
        python: `import os
def run(data, params, myToken):
    print(myToken.unwrap() == "it's\\na secret", os.environ["MODE"])
    return {"data": data}`,
        shell: `[ "$SECRET_MY_TOKEN" = "it's
a secret" ] && echo True "$MODE"; printf '{"data": %s}' "$(cat /var/runtime/input/data.json)" > /var/runtime/output/output.json`,
      },
      {
        input: { data: [1, { a: 'é' }], ...(isPython && { params: {} }) },
        secrets: { myToken: "it's\na secret" },
        environment: { MODE: 'fast $(HOME) $$ $HOME `id` $' },
      },
    );
    expect(end).toMatchObject({
      outcome: 'SUCCEEDED',
      cause: null,
      files: isPython ? [] : [{ name: 'output.json' }],
      result: { isObject: true, reservedMembers: false },
    });
    expect(resultOf(end)).toEqual({ data: [1, { a: 'é' }] });
    expect((await logOf(end.executionId)).map(({ message }) => message)).toEqual(['True fast $(HOME) $$ $HOME `id` $']);
    expect(end.endedAt).toBeGreaterThanOrEqual(end.startedAt);
  });

  test('what it has used is reported: processor time, and memory at its highest', async () => {
    const end = await run({
      python: 'import time\ndef run():\n    x = bytes(range(256)) * 200_000\n    while time.process_time() < 0.3: pass',
      shell: 'head -c 50000000 /dev/zero > /tmp/x; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done',
    });
    if (driver.measuredBy === null) {
      expect(end).toMatchObject({ cpuMs: null, peakMemoryBytes: null, measuredBy: null });
      return;
    }
    expect(end.cpuMs).toBeGreaterThan(100);
    expect(end.peakMemoryBytes).toBeGreaterThan(48_000_000);
    expect(end.measuredBy).toMatch(driver.measuredBy);
  });

  test.each([
    ['an exit code', { python: 'import os\ndef run():\n    os._exit(7)', shell: 'exit 7' }, 'exit code 7'],
    [
      'a signal',
      { python: 'import os\ndef run():\n    os.kill(os.getpid(), 11)', shell: "sh -c 'kill -11 $$'; exit $?" },
      'SIGSEGV',
    ],
  ])('%s is reported in words', async (_name, twice, words) => {
    const end = await run(twice);
    expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'ProgramEnded' }, result: null });
    expect(end.cause?.detail).toContain(words);
    expect((await logOf(end.executionId)).at(-1)?.message).toContain(words);
  });

  test('the log is whole: standard error is a warning, a line may lack its end, and be long', async () => {
    const end = await run({
      python:
        'import sys\ndef run():\n    for n in range(3000): print("line", n)\n    print("careful", file=sys.stderr)\n    print("x" * 100_000, end="")',
      shell: 'for n in $(seq 0 2999); do echo "line $n"; done; echo careful >&2; head -c 100000 /dev/zero | tr "\\0" x',
    });
    expect(end.outcome).toBe('SUCCEEDED');
    const log = await logOf(end.executionId);
    const lines = log.filter(({ severity }) => severity === 'INFO').map(({ message }) => message);
    expect(lines.slice(0, 3000)).toEqual(Array.from({ length: 3000 }, (_, n) => `line ${n}`));
    expect(lines.slice(3000).join('')).toBe('x'.repeat(100_000));
    expect(log.filter(({ severity }) => severity === 'WARNING').map(({ message }) => message)).toEqual(['careful']);
    for (const { timestamp } of log) expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('of an endless log the first part is kept', async () => {
    const end = await run(
      {
        python: 'def run():\n    for n in range(20000): print("line", n)',
        shell: 'i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i + 1)); done',
      },
      { limits: { logBytes: 50_000 } },
    );
    expect(end.outcome).toBe('SUCCEEDED');
    const log = await logOf(end.executionId);
    expect(log[0]?.message).toBe('line 0');
    expect(log.at(-1)?.message).toContain('limit of 50000 bytes');
  });

  test('result files are regular files; others are named in the log', async () => {
    const end = await run({
      python:
        'import os\ndef run():\n    open("/var/runtime/output/plot.txt", "w").write("data")\n    os.symlink("/etc/passwd", "/var/runtime/output/passwd")',
      shell: 'cd /var/runtime/output; printf data > plot.txt; ln -s /etc/passwd passwd; chmod 0 plot.txt',
    });
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', files: [{ name: 'plot.txt', bytes: 4 }] });
    expect(readFileSync(end.files[0]?.path ?? '', 'utf8')).toBe('data');
    expect((await logOf(end.executionId)).map(({ message }) => message).join('\n')).toContain('"passwd"');
  });

  test('data pools can be read and not written', async () => {
    const pool = join(bench.dataDir, 'runtime', 'pool');
    await mkdir(pool, { recursive: true });
    writeFileSync(join(pool, 'a.txt'), 'water');
    const end = await run(
      {
        python: `import os
def run(pool: dict = None):
    path = "/var/runtime/datapool/pool"
    print(open(path + "/a.txt").read(), os.access(path, os.W_OK))`,
        shell: 'cd /var/runtime/datapool/pool; w=False; touch b 2>/dev/null && w=True; echo $(cat a.txt) $w',
      },
      { dataPools: [{ parameter: 'pool', path: pool, writable: false }] },
    );
    expect((await logOf(end.executionId)).map(({ message }) => message)).toEqual(['water False']);
  });

  test('a data pool that is lent for writing is reported as the program left it, and counts as output', async () => {
    const lay = async (): Promise<{ dataPools: DataPoolMount[] }> => {
      const path = join(bench.dataDir, 'runtime', `lent-${randomUUID()}`);
      await mkdir(path);
      for (const file of ['kept', 'changed', 'gone']) writeFileSync(join(path, file), file, { mode: 0o600 });
      return { dataPools: [{ parameter: 'pool', path, writable: true }] };
    };
    const { dataPools } = await lay();
    const changes: Twice = {
      python: `import os
def run(pool: dict = None):
    os.chdir("/var/runtime/datapool/pool")
    open("changed", "a").write(" more")
    os.rename("gone", "new")`,
      shell: 'cd /var/runtime/datapool/pool; printf " more" >> changed; mv gone new',
    };
    const end = await run(changes, { dataPools });
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', dataPools: [{ parameter: 'pool' }] });
    const files = end.dataPools?.[0]?.files.map((file) => [file.name, readFileSync(file.path, 'utf8')]);
    expect(files).toEqual([
      ['changed', 'changed more'],
      ['kept', 'kept'],
      ['new', 'gone'],
    ]);
    const made = end.dataPools?.[0]?.files.find(({ name }) => name === 'new');
    expect(statSync(made?.path ?? '').uid).toBe(process.getuid?.());

    const link = { python: LINKS, shell: 'ln -s /etc/passwd /var/runtime/datapool/pool/link' };
    expect(await run(link, { dataPools: (await lay()).dataPools })).toMatchObject({
      outcome: 'FAILED',
      cause: { type: 'DataPoolNotChanged', detail: expect.stringContaining('"link"') },
    });
    const much = {
      python: 'def run(pool: dict = None):\n    open("/var/runtime/datapool/pool/much", "wb").write(bytes(3 << 20))',
      shell: 'head -c 3145728 /dev/zero > /var/runtime/datapool/pool/much',
    };
    const limits = { outputBytes: 2 * MiB };
    const tooMuch = await run(much, { dataPools: (await lay()).dataPools, limits });
    expect(tooMuch).toMatchObject({ outcome: 'FAILED', cause: { type: 'OutputLimitExceeded' } });
    expect(tooMuch.dataPools).toBeUndefined();
    const filling = {
      python: much.python.replace('3 << 20', '20 << 20') + '\n    import time\n    time.sleep(60)',
      shell: `${much.shell.replace('3145728', '20971520')}; exec sleep 60`,
    };
    expect(await run(filling, { dataPools: (await lay()).dataPools, limits })).toMatchObject({
      outcome: 'FAILED',
      cause: { type: 'OutputLimitExceeded' },
    });
  });

  test('a program is user 1000 without rights, on a root that it cannot write, without network', async () => {
    const end = await run({
      python: `import os
def writable(path):
    try:
        open(path + "/x", "w").close()
        return True
    except OSError:
        return False
def run():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(os.getuid(), status["CapBnd"].strip(), status["NoNewPrivs"].strip(), status["Seccomp"].strip())
    print(*(writable(path) for path in ["", "/var/runtime/input", "/usr", "/etc", "/tmp", "/var/runtime/output"]))
    print(len(open("/proc/net/dev").readlines()) - 2)`,
      shell: `at() { grep "^$1:" /proc/self/status | cut -f2; }
echo $(id -u) $(at CapBnd) $(at NoNewPrivs) $(at Seccomp)
for path in "" /var/runtime/input /bin /etc /tmp /var/runtime/output; do
  if touch $path/x 2>/dev/null; then printf 'True '; else printf 'False '; fi
done; echo
echo $(($(wc -l < /proc/net/dev) - 2))`,
    });
    expect((await logOf(end.executionId)).map(({ message }) => message.trim())).toEqual([
      '1000 0000000000000000 1 2',
      'False False False False True True',
      String(driver.interfaces),
    ]);
  });

  test.each([
    ['run time', 'RuntimeLimitExceeded', { runTimeMs: 1_500 }, SLEEPING],
    [
      'memory',
      'MemoryLimitExceeded',
      { memoryBytes: 48 * MiB, tmpBytes: 400 * MiB, fileBytes: 400 * MiB },
      {
        python: 'def run():\n    with open("/tmp/x", "wb") as file:\n        while True: file.write(bytes(1 << 20))',
        shell: 'exec dd if=/dev/zero of=/tmp/x bs=1M',
      },
    ],
    [
      'output',
      'OutputLimitExceeded',
      { outputBytes: 4 * MiB },
      {
        python:
          'import time\ndef run():\n    open("/var/runtime/output/x", "wb").write(bytes(20 << 20))\n    time.sleep(60)',
        shell: 'dd if=/dev/zero of=/var/runtime/output/x bs=1M count=20 2>/dev/null; exec sleep 60',
      },
    ],
  ])('the limit of %s ends it and is named', async (_name, type, limits, twice) => {
    const end = await run(twice, { limits });
    expect(end).toMatchObject({ outcome: 'FAILED', cause: { type } });
    expect((await logOf(end.executionId)).at(-1)?.message).toContain(end.cause?.detail);
  });

  test.skipIf(!driver.limitsProcesses)('more processes than allowed cannot be started', async () => {
    const end = await run(
      {
        python: 'import subprocess\ndef run():\n    for n in range(60): subprocess.Popen(["/usr/bin/sleep", "30"])',
        shell: 'for n in $(seq 60); do sleep 30 & done',
      },
      { limits: { processes: 20 } },
    );
    expect(end.outcome).toBe('FAILED');
  });

  test('a result that is no JSON is named', async () => {
    const end = await run({
      python: 'import os\ndef run():\n    os.write(1000, b"R{nonsense")\n    os._exit(0)',
      shell: 'echo "{nonsense" > /var/runtime/output/output.json',
    });
    expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'ResultInvalid' }, result: null });
  });

  test('cancel gives the program SIGTERM and its grace', async () => {
    const job = await bench.startedWith(
      'ready',
      ...given({
        python:
          'import signal, sys, time\ndef stop(*_):\n    print("tidying")\n    sys.exit(0)\ndef run():\n    signal.signal(signal.SIGTERM, stop)\n    print("ready")\n    time.sleep(60)',
        shell: 'trap "echo tidying; exit 0" TERM; echo ready; sleep 60 & wait',
      }),
    );
    const ended = bench.ended(job.executionId);
    // The runner uses the settings of its latest platform. The grace of other tests is too short for a busy machine.
    const patient = await bench.again({ cancelGraceMs: 30_000 });
    await patient.cancel(job.executionId);
    expect(await ended).toMatchObject({ outcome: 'CANCELLED', cause: { type: 'ExecutionCancelled' }, result: null });
    expect((await logOf(job.executionId)).map(({ message }) => message)).toContain('tidying');
    await bench.again();
  });

  test('cancel ends a program that ignores signals, and one that is just being started', async () => {
    const stubborn = {
      python:
        'import signal, time\ndef run():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    print("ready")\n    while True: time.sleep(1)',
      shell: 'trap "" TERM; echo ready; while true; do sleep 1; done',
    };
    const job = await bench.startedWith('ready', ...given(stubborn));
    const ended = bench.ended(job.executionId);
    await bench.runtime.cancel(job.executionId);
    expect((await ended).outcome).toBe('CANCELLED');

    const early = bench.jobOf(...given(SLEEPING));
    const earlyEnded = bench.ended(early.executionId);
    const started = bench.runtime.start(early);
    await bench.runtime.cancel(early.executionId);
    expect((await earlyEnded).outcome).toBe('CANCELLED');
    expect(await started).toBe('STARTED');
  });

  test('the same start many times runs once', async () => {
    const job = bench.jobOf(...given({ python: 'def run():\n    print("ran")', shell: 'echo ran' }));
    const ended = bench.ended(job.executionId);
    const answers = await Promise.all(Array.from({ length: 5 }, async () => bench.runtime.start(job)));
    expect(answers.filter((answer) => answer === 'STARTED')).toHaveLength(1);
    await ended;
    expect(await bench.runtime.start(job)).toBe('ALREADY_KNOWN');
    expect(await logOf(job.executionId)).toHaveLength(1);
    await bench.runtime.forget(job.executionId);
    expect((await bench.runtime.list()).map(({ executionId }) => executionId)).not.toContain(job.executionId);
  });

  test('a start that cannot succeed is refused and leaves the id free', async () => {
    const job = bench.jobOf(driver.missing);
    const refused = bench.runtime.start(job);
    await expect(refused).rejects.toThrow(StartRefused);
    await expect(refused).rejects.toThrow(/nowhere/);
    const good = {
      ...bench.jobOf(...given({ python: 'def run():\n    pass', shell: 'true' })),
      executionId: job.executionId,
    };
    const ended = bench.ended(job.executionId);
    expect(await bench.runtime.start(good)).toBe('STARTED');
    expect((await ended).outcome).toBe('SUCCEEDED');
  });

  test.skipIf(driver.sharesFolders)(
    'it goes on without a platform, and the next one learns its end after a while',
    async () => {
      const program = {
        python: 'import time\ndef run():\n    print("ready")\n    time.sleep(15)\n    print("done")',
        shell: 'echo ready; sleep 15; echo done',
      };
      const job = await bench.startedWith('ready', ...given(program));
      const next = await bench.again();
      const known = await next.list();
      expect(known.map(({ executionId }) => executionId)).toContain(job.executionId);
      await until('the next platform knows the end', async () =>
        (await next.list()).some((one) => one.executionId === job.executionId && one.state === 'ENDED'),
      );
      expect((await logOf(job.executionId)).map(({ message }) => message)).toEqual(['ready', 'done']);
    },
  );

  test.skipIf(!driver.sharesFolders)('it goes on without a platform, and the next one learns its end', async () => {
    const waiting = {
      python:
        'import os, time\ndef run():\n    print("ready")\n    while not os.path.exists("/var/runtime/datapool/gate/open"): time.sleep(0.02)\n    os.remove("/var/runtime/datapool/gate/open")\n    print("done")',
      shell:
        'echo ready; while [ ! -e /var/runtime/datapool/gate/open ]; do sleep 0.02; done; rm /var/runtime/datapool/gate/open; echo done',
    };
    const gate = join(bench.dataDir, 'runtime', 'gate');
    await mkdir(gate, { recursive: true });
    const dataPools = [{ parameter: 'gate', path: gate, writable: true }];
    const job = await bench.startedWith('ready', ...given(waiting, { dataPools }));
    const next = await bench.again();
    expect(await next.list()).toContainEqual(
      expect.objectContaining({ executionId: job.executionId, state: 'RUNNING' }),
    );
    writeFileSync(join(gate, 'open'), '');
    await until('the next platform knows the end', async () =>
      (await next.list()).some((one) => one.executionId === job.executionId && one.state === 'ENDED'),
    );
    expect((await logOf(job.executionId)).map(({ message }) => message)).toEqual(['ready', 'done']);
  });
}
