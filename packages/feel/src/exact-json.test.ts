import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { parseExact } from './exact-json.ts';
import { toJson } from './json.ts';
import { scopeOf } from './scope.ts';
import { Decimal } from './values/number.ts';

const again = (text: string): string => JSON.stringify(parseExact(text));

/** As they came: doubles would round each of them. */
const inexact = [
  '9007199254740993',
  '12345678901234567890',
  '-12345678901234567890',
  '0.1000000000000000055511151231257827',
  '1.00000000000000001',
  '12345678901234567890.10',
  '1e400',
  '-2.5E-400',
  '1e99999999999',
  '7'.repeat(1_000),
  `0.${'0'.repeat(500)}1`,
];
/** Their value is kept, and not how they were written. */
const rewritten: [string, string][] = [
  ['1.0', '1'],
  ['-0', '0'],
  ['-0.0e5', '0'],
  ['1.50', '1.5'],
  ['1e2', '100'],
  ['1E+2', '100'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['1e-07', '1e-7'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['9007199254740991', '9007199254740991'],
  ['0.000000000000000000', '0'],
];

describe('numbers of JSON', () => {
  it.each(inexact)('that no double holds pass as they are: %s', (text) => {
    expect(again(text)).toBe(text);
    expect(again(`{"a":[${text},{"b":${text}}],"t":"${text}"}`)).toBe(`{"a":[${text},{"b":${text}}],"t":"${text}"}`);
  });

  it.each(rewritten)('that a double holds keep their value: %s', (text, expected) => {
    expect(again(text)).toBe(expected);
  });

  it('never change their value, whatever they are', () => {
    const digits = fc.stringMatching(/^(?:0|[1-9][0-9]{0,40})$/);
    const fraction = fc.option(fc.stringMatching(/^[0-9]{1,40}$/));
    const exponent = fc.option(fc.integer({ min: -400, max: 400 }));
    fc.assert(
      fc.property(fc.boolean(), digits, fraction, exponent, (negative, whole, part, e) => {
        const text = `${negative ? '-' : ''}${whole}${part === null ? '' : `.${part}`}${e === null ? '' : `e${e}`}`;
        expect(new Decimal(again(text)).equals(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('nested too deep for a stack are read all the same', () => {
    const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`;
    expect(Array.isArray(parseExact(deep))).toBe(true);
  });
});

describe('expressions', () => {
  const evaluate = (source: string, text = '12345678901234567890'): string => {
    const x = parseExact(text);
    return JSON.stringify(toJson(compile(source).evaluate(scopeOf({ x, list: [x, 1] })).value));
  };

  it.each([...inexact, '123456789012345678901234567890123456789012345'])(
    'that only name one give it unchanged: %s',
    (text) => {
      expect([evaluate('x', text), evaluate('{a: [x]}', text), evaluate('for i in list return i', text)]).toEqual([
        text,
        `{"a":[${text}]}`,
        `[${text},1]`,
      ]);
    },
  );

  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-123456789012345678901234567890123456789012345', '-123456789012345678901234567890123456789012345'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['1.0', '1'],
    ['x + 1', '12345678901234567891'],
    ['x - x', '0'],
    ['-x', '-12345678901234567890'],
    ['x = 12345678901234567890', 'true'],
    ['x = 12345678901234567000', 'false'],
    ['x > 12345678901234567889', 'true'],
    ['max(list)', '12345678901234567890'],
    ['sum(list)', '12345678901234567891'],
    ['string(x)', '"12345678901234567890"'],
    ['number("12345678901234567890")', '12345678901234567890'],
    ['modulo(x, 7)', '1'],
    ['even(x)', 'true'],
    ['x instance of number', 'true'],
    ['list contains(list, x)', 'true'],
    ['count(distinct values([x, x, 1]))', '2'],
    ['1 / 3', '0.3333333333333333333333333333333333'],
    ['0.1 + 0.2', '0.3'],
  ])('compute with 34 digits: %s', (source, expected) => {
    expect(evaluate(source)).toBe(expected);
  });

  it.each([['1e99999999999'], ['9'.repeat(5_000)]])(
    'that compute with what no decimal128 holds are refused: %s',
    (text) => {
      expect(() => evaluate('x + 1', text)).toThrow(/^The number /);
      expect(() => evaluate('x > 1', text)).toThrow(/^The number /);
    },
  );
});
