import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { ket } from '../testing/ket.ts';
import { compare, differenceText, parseForComparison, type Comparison } from './compare.ts';
import { junitOf } from './junit.ts';

function differences(expected: string, actual: string, options: Comparison = {}): string[] {
  return compare(parseForComparison(expected), parseForComparison(actual), options).map(differenceText);
}

describe('a result', () => {
  test.each([
    ['{"a": 1}', '{"a": 1, "b": 2}', {}, []],
    ['{"a": 1}', '{"a": 1, "b": 2}', { exact: true }, ['/b is 2; nothing was expected there']],
    ['{"a": 1}', '{}', {}, ['/a is missing; expected 1']],
    ['{"a": null}', '{}', {}, ['/a is missing; expected null']],
    ['[1, 2]', '[1]', {}, ['the result is "1 elements"; expected "2 elements"']],
    ['{"a/b": {"~": 1}}', '{"a/b": {"~": 2}}', {}, ['/a~1b/~0 is 2; expected 1']],
    ['{"a": 1.0}', '{"a": 1}', {}, []],
    ['{"a": 1}', '{"a": 1.0000001}', {}, ['/a is 1.0000001; expected 1']],
    ['{"a": 1}', '{"a": 1.0000001}', { tolerance: 1e-6 }, []],
    ['{"a": 1e300}', '{"a": 1.0000001e300}', { tolerance: 1e-6 }, []],
    ['{"a": 1}', '{"a": "1"}', { tolerance: 1 }, ['/a is "1"; expected 1']],
    ['{"a": 1}', '{"a": null}', { tolerance: 1 }, ['/a is null; expected 1']],
    [
      '{"a": 12345678901234567890}',
      '{"a": 12345678901234567891}',
      {},
      ['/a is 12345678901234567891; expected 12345678901234567890'],
    ],
    ['{"a": 12345678901234567890}', '{"a": 12345678901234567890}', {}, []],
    ['{"a": 12345678901234567890}', '{"a": 12345678901234567891}', { tolerance: 1e-9 }, []],
    ['{"a": {"t": 1}, "b": 2}', '{"a": {"t": 9}, "b": 2}', { ignore: ['/a/t'] }, []],
    ['{"__proto__": 1}', '{}', {}, ['/__proto__ is missing; expected 1']],
    ['{"toString": 1}', '{}', {}, ['/toString is missing; expected 1']],
  ] as const)('%s compared with %s, %o', (expected, actual, options, expectedDifferences) => {
    expect(differences(expected, actual, options)).toEqual(expectedDifferences);
  });
});

const program = `
def run(data, params=None):
    if data < 0:
        raise ValueError("negative")
    return {"double": data * 2, "third": data / 3}
`;
const usual = ['--mode', 'paths', '--python', '/usr/bin/python3'];

test('cases pass, differ with a pointer, are updated, and are reported to CI', async () => {
  const folder = await folderWith({
    'kethub.json': '{"name": "doubles"}',
    'src/program.py': program,
    'input/data.json': '4',
    'test/third/input.json': '{"data": 1}',
    'test/third/expected.json': '{"third": 0.3333}',
    'test/third/options.json': '{"tolerance": 0.001}',
    'test/fails/input.json': '{"data": -1}',
    'test/fails/options.json': '{"status": "FAILED", "problem": "ValueError"}',
    'test/wrong/input.json': '{"data": 2}',
    'test/wrong/expected.json': '{"double": 5}',
    'test/mistyped/inputs.json': '{"data": 2}',
  });
  const first = await ket(['--json', 'test', folder, '--junit', 'report.xml', ...usual], { folder });
  expect(first.stderr).toContain('test/mistyped has no input.json');
  expect(first.stderr).toContain('/double is 4; expected 5');
  expect(first.code).toBe(1);
  const { cases } = first.json<{ cases: { name: string; failures: string[] }[] }>();
  expect(cases.map(({ name, failures }) => [name, failures.length])).toEqual([
    ['default', 0],
    ['fails', 0],
    ['third', 0],
    ['wrong', 1],
  ]);
  const report = readFileSync(path.join(folder, 'report.xml'), 'utf8');
  expect(report).toContain('tests="4" failures="1"');
  expect(report).toContain('<failure message="/double is 4; expected 5">');
  expect((await ket(['test', folder, '--update', ...usual], { folder })).code).toBe(0);
  expect(JSON.parse(readFileSync(path.join(folder, 'test/wrong/expected.json'), 'utf8'))).toMatchObject({ double: 4 });
  expect((await ket(['test', folder, '--exact', ...usual], { folder })).code).toBe(0);
});

test('a case that cannot be read is refused with its file', async () => {
  const folder = await folderWith({
    'src/program.py': program,
    'test/one/input.json': '{"data": 1}',
    'test/one/options.json': '{"tolerence": 1}',
  });
  const refused = await ket(['test', folder, ...usual], { folder });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/options\.json: "tolerence" is unknown/)]);
  const empty = await ket(['test', await folderWith({ 'src/program.py': program }), ...usual], { folder });
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('has no cases')]);
});

test('NaN is refused in a result and in an expectation, each with its pointer', async () => {
  const files = { 'src/program.py': 'def run(x): return {"v": float(x)}\n', 'test/a/input.json': '{"x": "nan"}' };
  const result = await ket(['test', '.', ...usual], { folder: await folderWith(files) });
  expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('result.v is nan')]);
  const folder = await folderWith({ ...files, 'test/a/expected.json': '{"v": NaN}' });
  const expectation = await ket(['test', '.', ...usual], { folder });
  expect([expectation.code, expectation.stderr]).toEqual([2, expect.stringContaining('a/expected.json is not valid')]);
});

test('a report holds what programs print, however hostile', () => {
  const outcome = { status: 'FAILED', result: '{}', log: 'a & b ]]> \u0000 \u001b[31m' };
  const text = junitOf('a"b', [{ name: '<x>', milliseconds: 1500, failures: ['1 < 2'], outcome }]);
  expect(text).toContain('<testcase classname="a&quot;b" name="&lt;x&gt;" time="1.500">');
  expect(text).toContain('a &amp; b ]]&gt; \u{FFFD} \u{FFFD}[31m');
});

test('ket openapi prints the document, and names what breaks callers', async () => {
  const folder = await folderWith({
    'kethub.json': '{"name": "typed"}',
    'src/program.py': 'def run(data: dict[str, int], shots: int = 1) -> float: ...\n',
  });
  const python = ['--python', '/usr/bin/python3'];
  const printed = await ket(['openapi', folder, ...python], { folder });
  expect(printed.json<{ info: object }>().info).toMatchObject({ title: 'typed' });
  expect((await ket(['openapi', folder, '--output', 'api.yaml', ...python], { folder })).code).toBe(0);
  expect((await ket(['openapi', folder, '--check', 'api.yaml', ...python], { folder })).code).toBe(0);
  writeFileSync(path.join(folder, 'src/program.py'), 'def run(data: dict[str, int], seed: int) -> float: ...\n');
  const broken = await ket(['openapi', folder, '--check', 'api.yaml', ...python], { folder });
  expect([broken.code, broken.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringMatching(/the input has no shots any more.*seed is required now/),
  ]);
});
