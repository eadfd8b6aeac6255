import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { sizeOf } from './builtins/pattern-size.ts';
import { compile, FeelBudgetError, scopeOf } from './index.ts';

/** 10 ms: a step is about 0.1 microseconds. */
const STEPS = 100_000;

/** A text that no other value shares: equal ones are compared unit by unit. */
const textOf = (end: string): string => Buffer.from('a'.repeat(100_000) + end).toString();
const variables = scopeOf({
  one: textOf('b'),
  other: textOf('c'),
  same: textOf('b'),
  spaces: ' '.repeat(100_000),
  short: `${'a'.repeat(10_000)}!`,
  texts: Array.from({ length: 100 }, (_, index) => textOf(String(index).padStart(2, '0'))),
  decimals: Array.from({ length: 1000 }, (_, index) => index / 7),
  json: JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]))),
});

/** Returns whether so many rounds fit into the budget. Nothing depends on how long they take. */
function fits(operation: string, rounds: number): boolean {
  try {
    const expression = `every i in 1..${rounds} satisfies [${operation}] = null or true`;
    compile(expression).evaluate(variables, { budget: { steps: STEPS } });
    return true;
  } catch (error) {
    if (error instanceof FeelBudgetError && error.part === 'steps') return false;
    throw error;
  }
}

describe('what takes longer costs more steps', () => {
  // Number of rounds that 10 ms of processor time are enough for. A few times as many must not fit.
  it.each([
    ['(i / 7) + (i / 3)', 5000],
    ['(i / 7) / (i / 3)', 3500],
    ['1.5 ** (i / 7)', 70],
    ['(1 / 3) ** 5000', 600],
    ['sqrt(i)', 600],
    ['log(i / 7)', 100],
    ['exp(i / 7000)', 150],
    ['modulo(1e6000, 7 / 3)', 60],
    ['decimal(i / 7, 3)', 5000],
    ['string(1e6000)', 600],
    ['@"P1D" * (i / 7)', 2500],
    ['@"2030-01-31T10:00:00@Europe/Berlin" < @"2020-01-31T10:00:00@America/New_York"', 1000],
    ['@"2030-01-31T10:00:00@Europe/Berlin" = @"2020-01-31T10:00:00@America/New_York"', 1000],
    ['@"2030-01-31T10:00:00@Europe/Berlin" + @"P400D"', 1000],
    ['date and time(@"2030-01-31T10:00:00@Europe/Berlin", "Asia/Tokyo")', 1000],
    ['before(@"2030-01-31T10:00:00@Europe/Berlin", @"2020-01-31T10:00:00@Asia/Tokyo")', 1000],
    ['stddev(decimals)', 4],
    ['sum(decimals)', 15],
    ['median(decimals)', 80],
    ['one < other', 1500],
    ['one = same', 2500],
    ['one between other and other', 1500],
    ['one in (other, other)', 1500],
    ['one in [other..other]', 1500],
    ['meets([one..one], [other..other])', 1500],
    ['min(texts)', 30],
    ['list contains(texts, other)', 2500],
    ['is blank(spaces)', 250],
    ['trim(spaces)', 60],
    ['upper case(one)', 150],
    ['string length(one)', 80],
    ['contains(one, short)', 60],
    ['from base64(one)', 60],
    ['to json(one)', 60],
    ['from json(json)', 30],
    ['range("[1..5]")', 5000],
  ])('%s', (operation, rounds) => {
    expect(fits(operation, 4 * rounds)).toBe(false);
    expect(fits(operation, 1)).toBe(true);
  });

  it.each([
    'matches(short, "((a{1,10}){1,10}){1,10}$")',
    'extract(short, "(a*)(a*)(a*)(a*)x|a{50}")',
    'replace(short, "(a{1,30}){1,30}b|a", "c")',
    'matches("a", "(a{500}){20}")',
    'matches("a", string join(for i in 1..1500 return "[[a]"))',
    // Hashed by their length alone.
    'count(distinct values(texts)) > 0',
    'context put({}, one, 1)',
    'matches("a", "[\\\\i\\\\c]*\\\\w\\\\w", "i")',
  ])('stops in the middle: %s', (operation) => {
    expect(fits(operation, 1)).toBe(false);
  });

  it('a pattern costs the same whether or not another evaluation has made it, and is made once in one', () => {
    const pattern = '(x{100}){9}y';
    const results = Array.from({ length: 3 }, () => fits(`matches("z", "${pattern}")`, 1000));
    expect(new Set(results).size).toBe(1);
    expect(fits('matches("abc" + string(i), "^[a-z]+\\\\d+$")', 500)).toBe(true);
  });

  it('the size of a pattern is estimated before it is made', () => {
    const sizes = ['abc', 'a{10}', '(ab){10}', '((a{10}){10}){10}', '[a-c]', '\\w', '(', 'a)b', '\\.'].map((one) =>
      sizeOf(one, ''),
    );
    expect(sizes).toEqual([3, 10, 40, 1220, 5, 32, 0, 4, 2]);
    expect(sizeOf('\\w', 'i')).toBeGreaterThan(1000);
  });
});
