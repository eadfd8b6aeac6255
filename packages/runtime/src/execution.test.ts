import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { StartRefused, type ExecutionJob } from './index.ts';
import { LIMITS, openBench, resultOf, until, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => {
  await bench.close();
});

describe('result', () => {
  test('is what run() returned, with its times and its use of the machine', async () => {
    const end = await bench.run('def run(data, params):\n    return {"sum": sum(data), **params}', {
      input: { data: [1, 2, 3], params: { unit: 'é' } },
    });
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', cause: null, files: [], logBytes: 0 });
    expect(end.result).toMatchObject({ isObject: true, reservedMembers: false });
    expect(resultOf(end)).toEqual({ sum: 6, unit: 'é' });
    expect(end.endedAt).toBeGreaterThanOrEqual(end.startedAt);
  });

  test.each([
    ['a list', '[1, 2]', [1, 2]],
    ['a number', '5', 5],
    ['nothing', 'None', null],
  ])('can be %s', async (_name, value, expected) => {
    const end = await bench.run(`def run():\n    return ${value}`);
    expect(end.result?.isObject).toBe(false);
    expect(resultOf(end)).toEqual(expected);
  });

  test('gets secrets and the environment of the version', async () => {
    const program =
      'import os\ndef run(token):\n    return [token.unwrap(), os.environ["MODE"], "token" in os.environ]';
    const value = await bench.result(program, { secrets: { token: 's3cret' }, environment: { MODE: 'fast' } });
    expect(value).toEqual(['s3cret', 'fast', false]);
  });

  test('of many megabytes of input arrives whole', async () => {
    expect(await bench.result('def run(data):\n    return len(data)', { input: { data: 'x'.repeat(9_000_000) } })).toBe(
      9_000_000,
    );
  });
});

describe('failure', () => {
  test('is the exception, and the traceback is in the log', async () => {
    const end = await bench.run('def run():\n    raise ValueError("no such qubit")');
    expect(end).toMatchObject({
      outcome: 'FAILED',
      cause: { title: 'ValueError', detail: 'no such qubit' },
      result: null,
    });
    const log = await bench.log(end.executionId);
    expect(log.map((line) => line.severity)).toEqual(log.map(() => 'ERROR'));
    expect(log.at(-1)?.message).toBe('ValueError: no such qubit');
  });

  test.each([
    ['os._exit(0)', 'before `run` returned'],
    ['os._exit(7)', 'exit code 7'],
    // our side's exit code without a job; forging it must not make the code run again and again
    ['os._exit(113)', 'exit code 113'],
    ['os.kill(os.getpid(), 11)', 'SIGSEGV'],
    ['ctypes.string_at(0)', 'SIGSEGV'],
    ['os.kill(os.getpid(), 9)', 'SIGKILL'],
  ])('of a process that ends by %s is explained in words', async (statement, words) => {
    const end = await bench.run(`import os, ctypes\ndef run():\n    ${statement}`);
    expect(end).toMatchObject({ outcome: 'FAILED', cause: { type: 'ProgramEnded' } });
    expect(end.cause?.detail).toContain(words);
  });

  test.each([
    ['half of its result', 'R{"a": '],
    ['its whole result', 'R{"a": 1}'],
  ])(
    'of a program that is killed after it has written %s leaves no result, and the next one runs',
    async (_what, text) => {
      const end = await bench.run(`import os\ndef run():\n    os.write(1000, b'${text}')\n    os.kill(os.getpid(), 9)`);
      expect(end).toMatchObject({ outcome: 'FAILED', result: null, cause: { type: 'ProgramEnded' } });
      expect(end.cause?.detail).toContain('SIGKILL');
      expect(await bench.result('def run():\n    return 1')).toBe(1);
    },
  );

  test('a forged result is not believed', async () => {
    const forge = (text: string): string =>
      `import os\ndef run():\n    os.write(1000, ${JSON.stringify(text)}.encode())\n    os._exit(0)`;
    expect((await bench.run(forge('R{"a": '))).cause?.type).toBe('ResultInvalid');
    expect((await bench.run(forge('X'))).cause?.type).toBe('ResultInvalid');
    expect((await bench.run(forge(`R${'['.repeat(5_000)}`))).cause?.detail).toContain('nested');
    expect((await bench.run(forge('E{"title":"T","_links":{"self":1}}'))).cause).toEqual({
      type: 'ProgramFailed',
      title: 'T',
      detail: '',
    });
  });
});

describe('log', () => {
  test('keeps order and severity', async () => {
    const program = `
import sys, logging
def run():
    print("one")
    logging.warning("two")
    logging.getLogger().error("three\\nand more")
    print("four")
    print("five", end="")`;
    const end = await bench.run(program);
    const log = await bench.log(end.executionId);
    expect(log.map(({ severity, message }) => [severity, message])).toEqual([
      ['INFO', 'one'],
      ['WARNING', 'two'],
      ['ERROR', 'three'],
      ['ERROR', 'and more'],
      ['INFO', 'four'],
      ['INFO', 'five'],
    ]);
    expect(log[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('stderr is a warning, invalid UTF-8 and lines without an end are kept', async () => {
    const program = `
import os
def run():
    os.write(2, b"careful\\n\\xff\\xfe\\n")
    os.write(1, b"z" * 200000)`;
    const end = await bench.run(program);
    const log = await bench.log(end.executionId);
    expect(log.filter((line) => line.severity === 'WARNING').map((line) => line.message)).toEqual([
      'careful',
      '\ufffd\ufffd',
    ]);
    const long = log.filter((line) => line.severity === 'INFO');
    expect(long.map((line) => line.message).join('')).toBe('z'.repeat(200_000));
  });

  test('can be read while the program runs', async () => {
    const job = await bench.startedWith('halfway', 'import time\ndef run():\n    print("halfway")\n    time.sleep(60)');
    const end = bench.ended(job.executionId);
    await bench.runtime.cancel(job.executionId);
    await end;
  });
});

describe('cancel', () => {
  test('gives the program SIGTERM and its grace', async () => {
    const program = `
import signal, time, sys
def stop(*_):
    print("tidying")
    sys.exit(0)
def run():
    signal.signal(signal.SIGTERM, stop)
    print("ready")
    time.sleep(60)`;
    // On a busy machine the program may wait longer than the grace of the other tests.
    const patient = await openBench({ cancelGraceMs: 30_000 });
    onTestFinished(() => patient.close());
    const job = await patient.startedWith('ready', program);
    const ended = patient.ended(job.executionId);
    await patient.runtime.cancel(job.executionId);
    expect(await ended).toMatchObject({ outcome: 'CANCELLED', cause: { type: 'ExecutionCancelled' }, result: null });
    expect((await patient.log(job.executionId)).map((line) => line.message)).toContain('tidying');
  });

  test('ends a program that ignores every signal, and what it left behind', async () => {
    const program = `
import signal, time, os
def run():
    for number in range(1, 32):
        try: signal.signal(number, signal.SIG_IGN)
        except OSError: pass
    if os.fork() == 0:
        os.setsid()
    print("ready")
    while True: time.sleep(1)`;
    const job = await bench.startedWith('ready', program);
    const ended = bench.ended(job.executionId);
    await bench.runtime.cancel(job.executionId);
    await bench.runtime.cancel(job.executionId);
    expect((await ended).outcome).toBe('CANCELLED');
  });

  test('of something unknown does nothing', async () => {
    await expect(bench.runtime.cancel('never-heard-of')).resolves.toBeUndefined();
  });
});

describe('result files', () => {
  test('are the regular files at the top, anything else is named in the log', async () => {
    const program = `
import os, socket
def run():
    open("plot.txt", "w").write("data")
    open("locked", "w").write("x"); os.chmod("locked", 0)
    os.symlink("/etc/passwd", "passwd"); os.symlink("/", "root"); os.symlink("../../../../../../etc/hostname", "host")
    os.mkfifo("fifo"); os.mkdir("folder"); open("folder/inner", "w").write("x")
    os.link("plot.txt", "twin")
    socket.socket(socket.AF_UNIX).bind("socket")
    open("line\\nbreak", "w"); open(b"\\xff", "w"); open("self", "w"); open("\\u202egnp.exe", "w")
    os.chmod(".", 0)`;
    const end = await bench.run(program);
    expect(end.outcome).toBe('SUCCEEDED');
    expect(end.files.map((file) => file.name)).toEqual(['locked']); // plot.txt is a hard link by now
    expect(readFileSync(end.files[0]?.path ?? '', 'utf8')).toBe('x');
    const log = (await bench.log(end.executionId)).map((line) => line.message).join('\n');
    for (const name of ['passwd', 'root', 'host', 'fifo', 'folder', 'twin', 'socket', 'self'])
      expect(log).toContain(`"${name}"`);
  });

  test('are there for a failed execution too', async () => {
    const end = await bench.run('def run():\n    open("partial.csv", "w").write("1,2")\n    raise Exception("later")');
    expect(end).toMatchObject({ outcome: 'FAILED', files: [{ name: 'partial.csv', bytes: 3 }] });
  });
});

test('whatever a program leaves can be deleted', { timeout: 120_000 }, async () => {
  const program = `
import os
def run():
    for name in range(20000): open(str(name), "w").close()
    os.makedirs("closed/inner"); open("closed/inner/file", "w").write("x"); os.chmod("closed", 0)
    for _ in range(200): # deeper than a path can say; in a blink, for the guard of the output would end the program
        os.mkdir("d" * 100)
        os.chdir("d" * 100)`;
  const end = await bench.run(program);
  expect(end).toMatchObject({ outcome: 'FAILED', cause: { title: 'Output limit exceeded' } });
  expect(end.files).toHaveLength(LIMITS.outputFiles);
  await bench.runtime.forget(end.executionId);
  await until('all is deleted', () => readdirSync(`${bench.dataDir}/runtime/trash`).length === 0);
});

test('data pools are folders of their own, read-only unless said otherwise', async () => {
  const pool = bench.service('').sourceDir;
  const program = `
def run(pool):
    names = list(pool.list_files())
    try:
        open(pool.path + "/new", "w")
        return [names, "written"]
    except OSError as error:
        return [names, error.errno]`;
  const value = await bench.result(`from kethub import DataPool\n${program.replace('(pool)', '(pool: DataPool)')}`, {
    dataPools: [{ parameter: 'pool', path: `${pool}/src`, writable: false }],
  });
  expect(value).toEqual([['program.py'], 30]);
});

describe('a start that cannot succeed is refused and leaves the id free', () => {
  /**
   * On a busy machine the attempt may end too late for a refusal. Its code has not run then, and it is started again.
   */
  async function refusalOf(job: ExecutionJob): Promise<unknown> {
    for (;;) {
      const ended = bench.ended(job.executionId);
      try {
        await bench.runtime.start(job);
      } catch (error) {
        return error;
      }
      expect((await ended).outcome).toBe('NOT_STARTED');
      await bench.runtime.forget(job.executionId);
    }
  }

  test.each([
    ['code that is not there', { code: { sourceDir: '/nowhere/at/all', layerDir: null, imports: [] } }, /nowhere/],
    ['an environment that the sandbox cannot take', { environment: { 'A=B': '' } }, /sandbox|setenv/i],
    ['a limit that the kernel does not take', { limits: { tmpBytes: -7 } }, /./],
  ])('%s', async (_name, order, words) => {
    const job = bench.job('def run():\n    return 1', order);
    const refusal = await refusalOf(job);
    expect(refusal).toBeInstanceOf(StartRefused);
    expect(refusal).toMatchObject({ message: expect.stringMatching(words) });
    expect((await bench.runtime.list()).map((one) => one.executionId)).not.toContain(job.executionId);
    const good = bench.job('def run():\n    return 1', { executionId: job.executionId });
    const ended = bench.ended(job.executionId);
    expect(await bench.runtime.start(good)).toBe('STARTED');
    expect((await ended).outcome).toBe('SUCCEEDED');
  });

  test.each(['../escape', 'a/b', '', '.', 'x'.repeat(200)])('an id that is no file name: %j', async (executionId) => {
    await expect(bench.runtime.start(bench.job('', { executionId }))).rejects.toThrow(/cannot be an execution id/);
    await expect(bench.runtime.readLog(executionId, 0)).rejects.toThrow(/cannot be an execution id/);
  });
});
