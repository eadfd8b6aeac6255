import { describe, expect, test } from 'vitest';
import { Problem } from '../http/problem.ts';
import { isExactNumber } from './exact.ts';
import { judgeJson } from './judge.ts';
import { readForm, readJson } from './read.ts';

const plain = { storable: false, marked: false, watched: [] };

async function refusal(read: () => unknown): Promise<string> {
  try {
    await read();
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('a JSON text', () => {
  const texts = [
    '{}', '[]', 'null', ' true ', '"a"', '-0', '1.5e-7', '[1,2]', '{"a":{"b":[{},[],"\\u00e9é😀"]}}', '[0,-0,0.0,1E+2]',
    '', ' ', '{', '[', '"', '{"a"}', '{"a":}', '{"a":1,}', '[1,]', '[,]', '01', '1.', '.5', '+1', '1e', 'tru', 'nul', 'NaN',
    '"\\x"', '"\\u00g0"', '"\n"', '{"a":1}}', '[1] 2', "{'a':1}", '{a:1}', '[1 2]', '{"a":1 "b":2}', '[1}', '{"a":1]', '\u00a0{}',
  ]; // prettier-ignore
  test.each(texts)('is one exactly if JSON.parse takes it: %j', async (text) => {
    let parsed = true;
    try {
      JSON.parse(text);
    } catch {
      parsed = false;
    }
    const judged = await refusal(() => judgeJson(Buffer.from(text), plain));
    expect(judged === 'accepted').toBe(parsed);
  });

  test.each([
    ['{"a": 1,\n "b": }', 'line 2, column 7 (byte 15)'],
    ['{"é": x}', 'line 1, column 7 (byte 7)'],
    ['{"a": [1, 2', 'line 1, column 12 (byte 11)'],
  ])('that is broken is refused with the offset: %j', async (text, offset) => {
    expect(await refusal(() => readJson(Buffer.from(text)))).toContain(offset);
  });

  test.each([
    [Buffer.from('{"name": "K\xf6ln"}', 'latin1'), 'byte 11 (line 1, column 12)'],
    [Buffer.from([0x7b, 0x22, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x22]), 'byte 4 (line 1, column 4)'],
    [Buffer.from([0x22, 0xf0, 0x9f, 0x98]), 'byte 1 '],
    [Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'byte 1 '],
    [Buffer.concat([Buffer.from(`"${'é'.repeat(300_000)}`), Buffer.from([0xff]), Buffer.from('"')]), 'byte 600001 '],
  ])('that is not UTF-8 is refused with the offset', async (bytes, offset) => {
    for (const read of [() => readJson(bytes), () => judgeJson(bytes, plain)])
      expect(await refusal(read)).toContain(offset);
  });

  const names = (count: number, prefix = 'n'): string =>
    Array.from({ length: count }, (_none, index) => `"${prefix}${index}":0`).join();
  test.each([
    ['{"a":1,"a":2}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['{"é":1,"\\u00e9":2}', true],
    ['{"😀":1,"\\ud83d\\ude00":2}', true],
    ['[{"a":{"b":1,"c":2,"b":3}}]', true],
    [`{${names(5_000)},"n17":1}`, true],
    [`{${names(9)},"n8":1}`, true],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', false],
    ['{"\\ud800":1,"\\ud801":2}', false],
    [`{${names(5_000)}}`, false],
    [`[${Array.from({ length: 50 }, () => `{${names(40)}}`).join()}]`, false],
  ])('with a name twice in one object is refused, with names in different ones not (%#)', async (text, twice) => {
    const answer = await refusal(() => judgeJson(Buffer.from(text), plain));
    expect(answer).toMatch(twice ? /member twice/ : /^accepted$/);
  });

  test('is as deep as the limit, and no deeper, whatever else it holds', async () => {
    const nested = (depth: number): string => `{"$secrets":{},"data":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const rules of [plain, { ...plain, storable: true, watched: ['$secrets'] }]) {
      expect(await refusal(() => judgeJson(Buffer.from(nested(1_000)), rules))).toBe('accepted');
      expect(await refusal(() => judgeJson(Buffer.from(nested(1_001)), rules))).toContain('1000 levels');
      expect(await refusal(() => judgeJson(Buffer.from('['.repeat(1_000_000)), rules))).toContain('1000 levels');
    }
  });

  test('that the platform keeps is refused where it would be changed, with the pointer', async () => {
    const bad = {
      '{"a":["\\u0000"]}': 'U+0000',
      '{"ids":["\\ud800"]}': 'surrogate',
      '{"ids":["\\ude00\\ud83d"]}': 'surrogate',
      '{"\\udc00":1}': 'surrogate',
      '{"n":12345678901234567890}': 'digits',
      '[9007199254740993]': 'digits',
      '{"n":1e400}': 'digits',
      '{"n":0.12345678901234567890123}': 'digits',
    };
    for (const [text, reason] of Object.entries(bad)) {
      expect(await refusal(() => readJson(Buffer.from(text)))).toContain(reason);
      expect(await refusal(() => judgeJson(Buffer.from(text), plain))).toBe('accepted');
    }
    const good = '{"a":"\\ud83d\\ude00","n":[0.1,1e3,9007199254740992,-0,1.50,0.10000000000000001,1e21]}';
    expect(readJson(Buffer.from(good))).toEqual(JSON.parse(good));
    const found = await refusal(() => readJson(Buffer.from('{"x":[{"y~/":"\\u0000"}]}')));
    expect(found).toContain('U+0000');
  });

  test('shows references to data pools with their pointers, each text once', async () => {
    const reference = '{"id":"7","r\\u0065f":"DATA\\u0050OOL"}';
    const text = `{"pool":${reference},"list":[1,{"a/b":${reference}},${Array(2_000).fill(reference).join()}],"ref":"DATAPOOL"}`;
    const { marked } = await judgeJson(Buffer.from(text), { ...plain, marked: true });
    expect(marked.map(({ pointer }) => pointer)).toEqual(['/pool', '/list/1/a~1b', '']);
    expect(marked.slice(0, 2).map(({ from, to }) => text.slice(from, to))).toEqual([reference, reference]);
  });
});

test.each([
  ['0', true],
  ['-0.0', true],
  ['100000000000000000000', true],
  ['123456789012345678', false],
  ['0.30000000000000004', true],
  ['1e-400', false],
  ['2.2250738585072014E-308', true],
])('%s keeps its digits: %s', (text, exact) => {
  expect(isExactNumber(text)).toBe(exact);
});

test('a form is refused where its bytes or its %XX are not UTF-8', async () => {
  expect([...readForm(Buffer.from('a=K%C3%B6ln&b=1+2&c=100%&%zz=1'))]).toEqual([
    ...new URLSearchParams('a=K%C3%B6ln&b=1+2&c=100%&%zz=1'),
  ]);
  expect(await refusal(() => readForm(Buffer.from('a=1&name=K%F6ln')))).toContain('byte 10');
  expect(await refusal(() => readForm(Buffer.from('a=K\xf6ln', 'latin1')))).toContain('byte 3');
});
