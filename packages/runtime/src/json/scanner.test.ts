import { describe, expect, test } from 'vitest';
import { inspectJson, JsonScanner, partsWithout, type JsonProblem, type JsonShape } from './index.ts';

const LIMITS = { bytes: 2 ** 30, depth: 1_000 };

const GOOD = [
  'null', ' true ', 'false\n', '0', '-0.5e-7', '12345678901234567890', '""', '"\\u00e9\\n\\"\\\\\\/"', '"é漢😀"', '[]', '{}', '[[],{}]',
  '{"a":[1,2.5E+3,{"b":null}],"":""}', '\t[ 1 , "x" , { "a" : { } } ]\r\n', '{"_links":1}', '"\\ud800"', '1E400', '[1]',
]; // prettier-ignore

const BAD = [
  '', ' ', '{', '[', '"', '[1,]', '{"a":1,}', '{"a"}', '{a:1}', '[1 2]', '01', '-', '1.', '.5', '1e', '+1', 'tru', 'truee', 'nul', 'NaN',
  '[}', '{]', '"\n"', '"\\x"', '"\\u12g4"', "'a'", '1 2', '[]]', '{"a":1 "b":2}', '[1,,2]', '{"a"::1}', '\u00a01', '[1]\0', '{1:2}', ',',
]; // prettier-ignore

function inChunks(bytes: Uint8Array, size: number, watched: readonly string[] = []): JsonShape | JsonProblem {
  const scanner = new JsonScanner(LIMITS, watched);
  for (let from = 0; from < bytes.length; from += size) scanner.push(bytes.subarray(from, from + size));
  return scanner.end();
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A generator of the same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('the scanner of JSON', () => {
  test.each(GOOD)('takes %s, however it is cut', (text) => {
    const bytes = Buffer.from(text);
    const whole = inspectJson(bytes, LIMITS);
    expect(whole).not.toHaveProperty('problem');
    for (const size of [1, 2, 3, 5]) expect(inChunks(bytes, size)).toEqual(whole);
    const { from, to } = whole as JsonShape;
    expect(bytes.toString('utf8', from, to)).toBe(text.trim());
  });

  test.each(BAD)('refuses %j, however it is cut', (text) => {
    const whole = inspectJson(Buffer.from(text), LIMITS);
    expect(whole).toHaveProperty('problem', expect.stringMatching(/^it is not JSON \(.*\bbyte/));
    for (const size of [1, 2, 3]) expect(inChunks(Buffer.from(text), size)).toEqual(whole);
  });

  test('agrees with JSON.parse on thousands of damaged texts', () => {
    const next = numbers(7);
    const alphabet = '{}[],:"\\u0123456789eE+-.truefalsn \n\u0001é';
    for (let round = 0; round < 8_000; round++) {
      let text = GOOD[next(GOOD.length)] ?? '';
      for (let change = next(4); change >= 0; change--) {
        const at = next(text.length + 1);
        text =
          text.slice(0, at) + (next(3) > 0 ? (alphabet[next(alphabet.length)] ?? '') : '') + text.slice(at + next(3));
      }
      if (!text.isWellFormed()) continue; // half a character is no UTF-8
      const size = 1 + next(9);
      expect([text, !('problem' in inChunks(Buffer.from(text), size))]).toEqual([text, parses(text)]);
    }
  });

  test('says where the text is that it does not understand', () => {
    expect(inspectJson(Buffer.from('{"a": 1, b}'), LIMITS)).toEqual({
      problem: 'it is not JSON (unexpected "b" at byte 9)',
    });
    expect(inspectJson(Buffer.from('["a'), LIMITS)).toEqual({
      problem: 'it is not JSON (it ends after 3 bytes, before its value does)',
    });
  });

  test.each([
    ['a byte that begins nothing', [0x22, 0xff, 0x22]],
    ['half a character', [0x22, 0xc3, 0x22]],
    ['half a character at the end', [0x22, 0xf0, 0x9f, 0x98]],
    ['a character that is written too long', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character beyond Unicode', [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22]],
  ])('refuses %s', (_what, bytes) => {
    for (const size of [1, 2, 3, 10]) expect(inChunks(Uint8Array.from(bytes), size)).toHaveProperty('problem');
  });

  test('bounds depth, bytes and the number of objects, and does not look further', () => {
    const deep = (levels: number): Buffer => Buffer.from('[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2));
    expect(inspectJson(deep(1_000), LIMITS)).toMatchObject({ depth: 1_000, containers: 1_000 });
    expect(inspectJson(deep(1_002), LIMITS)).toEqual({
      problem: 'it is nested deeper than 1000 levels, at byte 3000',
    });
    expect(inspectJson(Buffer.alloc(2 ** 20, '['), LIMITS)).toHaveProperty('problem');
    expect(inspectJson(Buffer.from('[{},{}]'), { ...LIMITS, containers: 2 })).toHaveProperty('problem');
    expect(inspectJson(Buffer.from('[{},{}]'), { ...LIMITS, containers: 3 })).toMatchObject({ containers: 3 });
    const scanner = new JsonScanner({ bytes: 4, depth: 1 });
    expect([scanner.push(Buffer.from('[1')), scanner.push(Buffer.from(',2]')), scanner.push(Buffer.from(' '))]).toEqual(
      [true, false, false],
    );
    expect(scanner.end()).toEqual({ problem: 'it has more than 4 bytes' });
  });

  test('a byte order mark at the beginning belongs to no value', () => {
    expect(inspectJson(Buffer.from('\ufeff{}'), LIMITS)).toMatchObject({ kind: 'OBJECT', from: 3, to: 5 });
    expect(inspectJson(Buffer.from('{}\ufeff'), LIMITS)).toHaveProperty('problem');
  });

  test('finds members of the outermost object, and what is left without them is the rest', () => {
    const next = numbers(11);
    const values = ['1', '"_a"', '{"_a":[1]}', '[]', '{}', 'null', '[{"_b":2}]'];
    const names = ['_a', '\\u005fa', '_b', 'c', 'd\\n', '', '_ab', '_\\u0061'];
    for (let round = 0; round < 2_000; round++) {
      const members = Array.from({ length: next(6) }, () => {
        const space = ' '.repeat(next(2));
        return `${space}"${names[next(names.length)]}"${space}:${space}${values[next(values.length)]}${space}`;
      });
      const text = `${' '.repeat(next(2))}{${members.join(',')}}${'\n'.repeat(next(2))}`;
      const bytes = Buffer.from(text);
      const shape = inChunks(bytes, 1 + next(20), ['_a', '_b']) as JsonShape;
      const left = partsWithout(shape, shape.members)
        .map(([from, to]) => bytes.toString('utf8', from, to))
        .join('');
      const expected = JSON.parse(text) as Record<string, unknown>;
      for (const { name, from, to } of shape.members)
        if (shape.members.findLast((one) => one.name === name)?.from === from)
          expect(JSON.parse(bytes.toString('utf8', from, to))).toEqual(expected[name]);
      delete expected['_a'];
      delete expected['_b'];
      expect([text, JSON.parse(left)]).toEqual([text, expected]);
    }
  });

  test('a member that is asked for can come some times, not without end', () => {
    const text = (times: number): Buffer => Buffer.from(`{${'"_a":1,'.repeat(times)}"b":2}`);
    expect(inspectJson(text(64), LIMITS, ['_a'])).toMatchObject({ members: { length: 64 } });
    expect(inspectJson(text(65), LIMITS, ['_a'])).toHaveProperty('problem');
  });

  test('the texts that are worst for parsers cost about as much as those that are best', () => {
    const bytes = 8 * 2 ** 20;
    const cost = (unit: string): number => {
      const text = Buffer.from(`[${unit.repeat(bytes / unit.length)}1]`);
      const before = process.cpuUsage();
      expect(inChunks(text, 2 ** 18)).not.toHaveProperty('problem');
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cost('{},'); // compiled by then
    const best = cost(`"${'x'.repeat(1_020)}",`);
    // Measured: 4 to 8 times. JSON.parse takes hundreds of times as long.
    for (const unit of ['{},', '[[]],', '{"a":1},', '1,', '"\\u0000",'])
      expect(cost(unit)).toBeLessThan(best * 40 + 200_000);
  });
});
