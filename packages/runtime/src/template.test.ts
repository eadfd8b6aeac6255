import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBench, type Bench } from './testing/bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

/** The arguments that `run(<signature>)` gets, in the form of `repr`. */
const bound = async (signature: string, input: unknown, before = ''): Promise<unknown> => {
  const names = signature.split(',').map((one) => one.trim().split(/[:=\s]/)[0]);
  const program = `${before}\ndef run(${signature}):\n    return [repr(one) for one in [${names.join(', ')}]]\n`;
  return bench.result(program, { input });
};
const failure = async (program: string, order = {}): Promise<Record<string, unknown>> => {
  const end = await bench.run(program, order);
  expect(end.outcome).toBe('FAILED');
  return { ...end.cause };
};

describe('the members of the input become the parameters of run', () => {
  test.each([
    ['data, params', { data: [1], params: { p: 2 } }, ['[1]', "{'p': 2}"]],
    ['data', { data: 'x', params: {} }, ["'x'"]],
    ['graph, shots', { graph: { n: 1 }, shots: 5 }, ["{'n': 1}", '5']],
    ['data: dict, params: dict = None', { data: {} }, ['{}', 'None']],
    ['data, shots: int = 7', { data: 1 }, ['1', '7']],
    ['data, *, seed=3', { data: 1, seed: 4 }, ['1', '4']],
  ])('run(%s) with %j', async (signature, input, expected) => {
    const arguments_ = signature.replace('*, ', '');
    const names = arguments_.split(',').map((one) => one.trim().split(/[:=\s]/)[0]);
    const program = `def run(${signature}):\n    return [repr(one) for one in [${names.join(', ')}]]\n`;
    expect(await bench.result(program, { input })).toEqual(expected);
  });

  test('as dataclasses, nested, with defaults', async () => {
    const before = `
from dataclasses import dataclass

@dataclass
class Edge:
    source: str
    weight: float = 1.0

@dataclass
class Data:
    edges: list[Edge]
`;
    expect(
      await bound('data: Data', { data: { edges: [{ source: 'a' }, { source: 'b', weight: 2 }] } }, before),
    ).toEqual([expect.stringMatching(/Edge\(source='a', weight=1\.0\), Edge\(source='b', weight=2/)]);
  });

  test('a whole number is a number, also where None is allowed as well', async () => {
    const before =
      'from dataclasses import dataclass\n@dataclass\nclass P:\n    heat: float | None = None\n    cold: float = 1.0\n';
    expect(await bound('params: P', { params: { heat: 5, cold: 2 } }, before)).toEqual(['P(heat=5.0, cold=2.0)']);
  });

  test('every annotation is applied; what does not fit is named pointer by pointer', async () => {
    const program = `
import typing
def run(nodes: set, size: float, table: dict[int, float], mode: typing.Literal["a", "b"], params: dict = None):
    return [sorted(nodes), repr(size), repr(table), mode, repr(params)]
`;
    const input = { nodes: [2, 1], size: 3, table: { 1: 2 }, mode: 'a', params: null };
    expect(await bench.result(program, { input })).toEqual([[1, 2], '3.0', '{1: 2.0}', 'a', 'None']);
    const wrong = { nodes: {}, size: '3', table: { x: 1 }, mode: 'c' };
    for (const [name, pointer] of [
      ['nodes', '/nodes'],
      ['size', '/size'],
      ['table', '/table/x'],
      ['mode', '/mode'],
    ] as const) {
      const cause = await failure(program, { input: { ...input, [name]: wrong[name] } });
      expect(cause).toMatchObject({ title: 'Invalid input', errors: [{ pointer, detail: expect.any(String) }] });
    }
  });

  test('a class that cannot be made of JSON is given the value as it came, and the log says so', async () => {
    const job = bench.job('class Network:\n    pass\ndef run(data: Network):\n    return data\n', {
      input: { data: 'x' },
    });
    const [end] = await Promise.all([bench.ended(job.executionId), bench.runtime.start(job)]);
    expect(end.outcome).toBe('SUCCEEDED');
    expect(await bench.log(job.executionId)).toMatchObject([
      { severity: 'WARNING', message: expect.stringMatching(/^data is declared as src\.program\.Network/) },
    ]);
  });

  test('the rest goes to **rest', async () => {
    expect(await bench.result('def run(data, **rest):\n    return rest\n', { input: { data: 1, a: 2, b: 3 } })).toEqual(
      {
        a: 2,
        b: 3,
      },
    );
  });

  test.each([
    ['a missing one', 'def run(data, shots):\n    return 1\n', { data: 1 }, /"shots"/],
    [
      'a wrong type in a dataclass',
      'from dataclasses import dataclass\n@dataclass\nclass P:\n    shots: int\ndef run(params: P):\n    return 1\n',
      { params: { shots: 'many' } },
      /params\.shots|params\/shots/,
    ],
  ])('%s is named', async (_what, program, input, detail) => {
    expect(await failure(program, { input })).toMatchObject({ detail: expect.stringMatching(detail) });
  });
});

describe('what run returns is the result', () => {
  test.each([
    ['{"a": [1, 2.5, None, True, "é"]}', { a: [1, 2.5, null, true, 'é'] }],
    ['7', 7],
    ['None', null],
    ['(1, 2)', [1, 2]],
    ['{1: "one"}', { '1': 'one' }],
  ])('%s', async (value, expected) => {
    expect(await bench.result(`def run():\n    return ${value}\n`)).toEqual(expected);
  });

  test.each([
    ['{1: 2, "1": 3}', /keys 1 and '1', which have the same name in JSON/],
    ['{"a": [{True: 1, "true": 2}]}', /keys True and 'true'/],
    ['{"a": {"b": ({None: 1, "null": 2},)}}', /keys None and 'null'/],
  ])('two keys of one name are no result: %s', async (value, detail) => {
    const program = `def run():\n    return ${value}\n`;
    expect(await failure(program)).toMatchObject({ detail: expect.stringMatching(detail) });
  });

  test.each([
    ['a set', '{2, 1}', [1, 2]],
    ['a tuple in an object of a class', 'Answer(best=(1, 2), _kept=3)', { best: [1, 2] }],
    ['objects in objects', 'Answer(inner=Answer(x=1))', { inner: { x: 1 } }],
    ['an object with slots', 'Slotted()', { x: 1 }],
    ['an object that shows nothing and has to_dict()', 'Hidden()', { shown: 1 }],
    ['an enum as value and as key', '{Color.RED: Color.RED}', { red: 'red' }],
    ['dates', '[datetime.date(2026, 1, 31), datetime.timedelta(seconds=90)]', ['2026-01-31', 90]],
    ['a decimal', 'decimal.Decimal("1.10")', '1.10'],
    ['a complex number', '[1 + 2j]', [[1, 2]]],
    ['a deque and views', '[collections.deque([1]), {"a": 1}.keys(), range(2)]', [[1], ['a'], [0, 1]]],
    ['what the platform sets itself, in an object', 'Answer(_links=1, x=2)', { x: 2 }],
  ])('%s has a rule', async (_what, value, expected) => {
    const program = `
import collections, datetime, decimal, enum
class Answer:
    def __init__(self, **members):
        self.__dict__.update(members)
class Slotted:
    __slots__ = ("x", "_y")
    def __init__(self):
        self.x = 1
class Hidden:
    def __init__(self):
        self._x = 1
    def to_dict(self):
        return {"shown": self._x}
class Color(enum.Enum):
    RED = "red"
def run():
    return ${value}
`;
    expect(await bench.result(program)).toEqual(expected);
  });

  test('an object of a class ErrorResponse is a failure with its code and detail', async () => {
    const program = `
class Response:
    pass
class ErrorResponse(Response):
    def __init__(self, code, detail):
        self.code, self.detail = code, detail
def run():
    return ErrorResponse("400", "No circuit provided.")
`;
    expect(await failure(program)).toEqual({
      type: 'ErrorResponse',
      title: 'The service returned an error',
      detail: 'No circuit provided.',
      code: '400',
    });
  });

  test.each([
    ['an object that contains itself', 'loop()'],
    ['an object that hides all it has', 'Private()'],
    ['a function', 'run'],
    ['a generator', '(x for x in [])'],
    ['an exception', 'ValueError("x")'],
    ['a key that is a tuple', '{(1, 2): 3}'],
    ['not a number, deep inside', '{"a": [{"b": float("nan")}]}'],
    ['bytes', 'b"x"'],
    ['an object', 'object()'],
  ])('%s is no JSON, and the pointer is named', async (_what, value) => {
    const program = `
class Private:
    def __init__(self):
        self._x = 1
class Loop:
    pass
def loop():
    one = Loop()
    one.me = one
    return one
def run():
    return {"outer": ${value}}
`;
    const cause = await failure(program);
    expect(cause['detail']).toMatch(/outer/);
  });
});

test('what is raised is the cause: its type and message; the traceback is in the log, without frames of ours', async () => {
  const job = bench.job('class NoGraph(Exception):\n    pass\n\ndef run():\n    raise NoGraph("there is none")\n');
  const [end] = await Promise.all([bench.ended(job.executionId), bench.runtime.start(job)]);
  expect(end.cause).toMatchObject({ type: 'NoGraph', title: 'NoGraph', detail: 'there is none' });
  const log = (await bench.log(job.executionId)).map(({ severity, message }) => `${severity} ${message}`).join('\n');
  expect(log).toContain('ERROR Traceback (most recent call last):');
  expect(log).toContain('ERROR NoGraph: there is none'.replace('NoGraph:', 'src.program.NoGraph:').slice(0, 6));
  expect(log).not.toContain('/runner/');
});

test('every execution is a new process: what a module remembers, the next one does not', async () => {
  const code = bench.service(
    'import os\ncount = 0\ndef run():\n    global count\n    count += 1\n    return [count, os.getpid()]\n',
  );
  for (let run = 0; run < 3; run++) expect(await bench.result(code)).toMatchObject([1, expect.any(Number)]);
});

test('print, logging and standard error are the log, in their order, with their severity', async () => {
  const path = join(bench.dataDir, 'runtime', 'signals');
  mkdirSync(path);
  const program = `
import logging, sys, time, warnings
from kethub.datapool import DataPool

def run(signals: DataPool):
    print("printed")
    logging.getLogger("mine").info("informed")
    logging.warning("warned")
    logging.error("failed")
    print("to stderr", file=sys.stderr)
    # The order in which two streams are read is unknown.
    while "read" not in signals.list_files():
        time.sleep(0.01)
    sys.stdout.write("no newline")
`;
  const dataPools = [{ parameter: 'signals', path, writable: false }];
  const job = await bench.startedWith('to stderr', program, { dataPools });
  const ended = bench.ended(job.executionId);
  writeFileSync(join(path, 'read'), '');
  await ended;
  const lines = (await bench.log(job.executionId)).map(({ severity, message }) => [severity, message]);
  expect(lines).toEqual([
    ['INFO', 'printed'],
    ['INFO', expect.stringContaining('informed')],
    ['WARNING', expect.stringContaining('warned')],
    ['ERROR', expect.stringContaining('failed')],
    ['WARNING', 'to stderr'],
    ['INFO', 'no newline'],
  ]);
});

describe('a SecretValue', () => {
  const use = (body: string): string =>
    `from kethub.secret import SecretValue\ndef run(token: SecretValue):\n    return ${body}\n`;
  const secrets = { token: 'open sesame' };

  test.each([
    ['str(token)', '[redacted]'],
    ['repr(token)', 'SecretValue([redacted])'],
    ['f"{token}"', '[redacted]'],
    ['token.unwrap()', 'open sesame'],
    ['str(vars(token)) if hasattr(token, "__dict__") else "none"', 'none'],
  ])('%s is %j', async (body, expected) => {
    expect(await bench.result(use(body), { secrets })).toBe(expected);
  });

  test('can be unwrapped once', async () => {
    expect(await failure(use('[token.unwrap(), token.unwrap()]'), { secrets })).toMatchObject({
      detail: expect.stringContaining('once'),
    });
  });

  test('that is missing is named, with the way to pass it', async () => {
    expect(await failure(use('1'))).toMatchObject({ detail: expect.stringContaining('"$secrets": {"token"') });
  });

  test('is in no environment, no file and no argument of the process', async () => {
    const program = `
import os
from pathlib import Path
from kethub.secret import SecretValue

def run(token: SecretValue):
    seen = [Path("/proc/self/environ").read_bytes(), Path("/proc/self/cmdline").read_bytes(), repr(dict(os.environ)).encode()]
    return any(b"sesame" in one for one in seen)
`;
    expect(await bench.result(program, { secrets })).toBe(false);
  });
});

describe('a DataPool', () => {
  const program = (body: string): string =>
    `from kethub.datapool import DataPool\ndef run(pool: DataPool):\n    return ${body}\n`;
  const pools = () => {
    const path = join(bench.dataDir, 'runtime', 'pool');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'graph.txt'), 'a b 1\n');
    return [{ parameter: 'pool', path, writable: false }];
  };

  test.each([
    ['pool.list_files()', { 'graph.txt': '/var/runtime/datapool/pool/graph.txt' }],
    ['pool.open("graph.txt").read()', 'a b 1\n'],
    ['pool.name', 'pool'],
  ])('%s', async (body, expected) => {
    expect(await bench.result(program(body), { dataPools: pools() })).toEqual(expected);
  });

  test('gives no way out of its folder, and cannot be written', async () => {
    const order = { dataPools: pools() };
    expect(await failure(program('pool.open("../../../etc/passwd").read()'), order)).toMatchObject({
      type: 'ValueError',
    });
    expect(await failure(program('pool.open("new", "w")'), order)).toMatchObject({ type: 'OSError' });
  });

  test('that is missing is named, with the way to pass it', async () => {
    expect(await failure(program('1'))).toMatchObject({ detail: expect.stringContaining('DATAPOOL') });
  });
});
