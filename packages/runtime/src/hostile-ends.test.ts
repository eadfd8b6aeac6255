import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processorMs } from './sandbox/processes.ts';
import { MiB, openBench, until, type Bench, type Order, type Program } from './testing/bench.ts';
import { shellImage, testEngine } from './testing/images.ts';
import type { ExecutionEnd } from './types.ts';

/** Hostile results, on both drivers. Each gets a clear answer and frees its slot. */
const drivers = [
  { name: 'sandbox', skipped: false },
  { name: 'container', skipped: testEngine === null },
] as const;

/** Python that writes a text, given as a Python expression, to the result file. */
const telling = (text: string): string => `import os
def run():
    text = ${text}
    while text: text = text[os.write(1000, text):]
    os._exit(0)`;

describe.each(drivers.filter(({ skipped }) => !skipped))('what code hands over: $name', ({ name }) => {
  let bench: Bench;
  let image = '';
  const isSandbox = name === 'sandbox';
  beforeAll(async () => {
    if (!isSandbox) image = await shellImage();
    bench = await openBench(isSandbox ? {} : { containers: { socketPath: testEngine ?? '', network: 'none' } });
  });
  afterAll(async () => {
    await bench.close();
  });

  const programOf = (python: string, shell: string, order: Order = {}): [Program, Order] =>
    isSandbox ? [python, order] : [{ image }, { ...order, environment: { PROGRAM: shell } }];
  const result = (python: string, shell: string, order?: Order): Promise<ExecutionEnd> =>
    bench.run(...programOf(telling(`b"R" + ${python}`), `{ ${shell}; } > /var/runtime/output/output.json`, order));
  /** Checks that its record can be read, that it can be forgotten, and that the next execution runs. */
  const isOver = async ({ executionId }: ExecutionEnd): Promise<void> => {
    const known = await bench.runtime.list();
    expect(known.find((one) => one.executionId === executionId)).toMatchObject({ state: 'ENDED' });
    await bench.runtime.forget(executionId);
    expect((await bench.runtime.status()).running).toEqual([]);
  };

  test.each([
    ['deep beyond any parser', 'b"[" * 900_000', 'head -c 900000 /dev/zero | tr "\\0" "["', /nested deeper/],
    ['deep and whole', 'b"[" * 5_000 + b"]" * 5_000', 'head -c 5000 /dev/zero | tr "\\0" "["; head -c 5000 /dev/zero | tr "\\0" "]"', /nested deeper/],
    ['not JSON', 'b"{a: 1}"', 'printf "{a: 1}"', /unexpected "a" at byte 1/],
    ['not UTF-8', 'b\'["\\xff"]\'', 'printf \'["\\377"]\'', /UTF-8/],
    ['two values', 'b"{} {}"', 'printf "{} {}"', /unexpected "\{" at byte 3/],
    ['longer than it may be', 'b"[" + b"1," * 600_000 + b"1]"', 'printf "["; yes 1, | tr -d "\\n" | head -c 1200000; printf "1]"', /limit is 1048576 bytes/],
  ])('a result that is %s ends it as FAILED', async (_what, python, shell, words) => {
    const end = await result(python, shell);
    expect(end).toMatchObject({ outcome: 'FAILED', result: null, cause: { detail: expect.stringMatching(words) } });
    await isOver(end);
  }); // prettier-ignore

  test('a result is as long as it is: not beyond blanks, a byte order mark and members that are reserved', async () => {
    const end = await result(
      'b\'\\xef\\xbb\\xbf {"_links":{},"a":12345678901234567890,"\\\\u005fembedded":[1]}\\n\'',
      'printf \'\\357\\273\\277 {"_links":{},"a":12345678901234567890,"\\\\u005fembedded":[1]}\\n\'',
    );
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', result: { isObject: true, reservedMembers: true } });
    const { path, text, parts = [] } = end.result ?? { path: '' };
    const bytes = text === undefined ? readFileSync(path) : Buffer.from(text);
    expect(parts.map(([from, to]) => bytes.toString('utf8', from, to)).join('')).toBe('{"a":12345678901234567890}');
    await isOver(end);
  });

  test('a result of 32 MiB that is worst for parsers costs the runner little, and holds up no other', async () => {
    const { runnerPid } = await bench.runtime.status();
    const [before, peak] = [processorMs(runnerPid), peakMiB(runnerPid)];
    const limits = { resultBytes: 64 * MiB, fileBytes: 64 * MiB };
    const ends = result('b\'{"a":[\' + b"{}," * (32 * 2**20 // 3) + b"{}]}"', 'printf \'{"a":[\'; yes "{}," | tr -d "\\n" | head -c 33554430; printf "{}]}"', { limits });
    const [end, other] = await Promise.all([ends, result('b"{}"', 'printf "{}"')]);
    expect([end.outcome, end.cause, other.outcome]).toEqual(['SUCCEEDED', null, 'SUCCEEDED']);
    // Building its objects would take minutes and gigabytes.
    expect(processorMs(runnerPid) - before).toBeLessThan(10_000);
    expect(peakMiB(runnerPid) - peak).toBeLessThan(150);
    await isOver(end);
  }); // prettier-ignore

  test('what ignores every signal, and its slot, can be freed', async () => {
    const job = await bench.startedWith(
      'ready',
      ...programOf(
        'import signal, time\ndef run():\n    signal.signal(15, signal.SIG_IGN)\n    print("ready", flush=True)\n    while True: time.sleep(1)',
        "trap '' TERM; echo ready; while true; do sleep 1; done",
      ),
    );
    const [end] = await Promise.all([bench.ended(job.executionId), bench.runtime.end(job.executionId)]);
    expect(end).toMatchObject({ outcome: 'CANCELLED', result: null });
    await bench.runtime.end(job.executionId);
    await isOver(end);
  });
});

describe('causes of the sandbox', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(async () => {
    await bench.close();
  });

  const BEGIN = 'b\'E{"type":"x","title":"t","detail":"d"\'';
  test.each([
    ['too deep to be recorded', `${BEGIN} + b',"deep":' + b"[" * 5_000 + b"]" * 5_000 + b"}"`, /nested deeper than 64/],
    ['of far too many parts', `${BEGIN} + b',"deep":[' + b"{}," * 9_000 + b"{}]}"`, /more than 2000 objects/],
    ['too long', `${BEGIN} + b',"long":"' + b"x" * 2_000_000 + b'"}'`, /more than 1048576 bytes/],
    ['cut off', BEGIN, /ends after 36 bytes/],
    ['no object', "b'E[1]'", /not an object/],
    ['not UTF-8', "b'E\\xff\\xff'", /UTF-8/],
  ])('a cause %s becomes one that says so', async (_what, python, words) => {
    const end = await bench.run(telling(python));
    expect(end).toMatchObject({
      outcome: 'FAILED',
      cause: { type: 'ProgramFailed', detail: expect.stringMatching(words) },
    });
    await bench.runtime.forget(end.executionId);
    expect((await bench.runtime.status()).running).toEqual([]);
  });

  test('members of a cause are kept within their limits, and none replaces our own', async () => {
    const cause = '\'E{"type":5,"title":"t","detail":"d","_links":1,"__proto__":{"a":1},"errors":[{"pointer":"/a"}]}\'';
    const end = await bench.run(telling(`${cause}.encode()`));
    expect(end.cause).toEqual({ type: 'ProgramFailed', title: 't', detail: 'd', errors: [{ pointer: '/a' }] });
  });
});

describe('records of the runner', () => {
  test('one that is damaged, and a folder of somebody else, keep the runner from nothing', async () => {
    const bench = await openBench({}, (dataDir) => {
      const executions = join(dataDir, 'runtime', 'executions');
      mkdirSync(join(executions, 'lost+found'), { recursive: true });
      mkdirSync(join(executions, 'damaged'));
      writeFileSync(join(executions, 'damaged', 'end.json'), '{"executionId": "dam');
    });
    await until('the damaged one is reported as lost', async () =>
      (await bench.runtime.list()).some((one) => one.state === 'ENDED' && one.end.outcome === 'LOST'),
    );
    expect(await bench.result('def run():\n    return 1')).toBe(1);
    await bench.close();
  });
});

function peakMiB(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
}
