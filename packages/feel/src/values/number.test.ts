import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { add, compareNumbers, Decimal, divide, fromDecimal, modulo, multiply, subtract, toDecimal } from './number.ts';
import type { FeelNumber } from './value.ts';

/** Integers, amounts of money, and anything else. */
const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const same = (actual: FeelNumber | null, exact: Decimal): boolean => {
  const expected = fromDecimal(exact);
  return actual === null || expected === null ? actual === expected : compareNumbers(actual, expected) === 0;
};

it('the short ways of sums, differences, products and quotients give what decimals give', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const [left, right] = [new Decimal(a), new Decimal(b)];
      expect(same(add(a, b), left.plus(right))).toBe(true);
      expect(same(subtract(a, b), left.minus(right))).toBe(true);
      expect(same(multiply(a, b), left.times(right))).toBe(true);
      if (b !== 0) expect(same(divide(a, b), left.div(right))).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

it('the remainder lies between zero and the divisor', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -1000, max: 1000 }).filter(Boolean), (dividend, divisor) => {
      const remainder = toDecimal(modulo(dividend, divisor) ?? Number.NaN);
      expect(remainder.isZero() || remainder.isPositive() === divisor > 0).toBe(true);
      expect(remainder.abs().lessThan(Math.abs(divisor))).toBe(true);
    }),
  );
});

it('knows no negative zero', () => {
  expect([multiply(-1, 0), divide(0, -5), subtract(0, 0), add(-0.5, 0.5)].every((zero) => Object.is(zero, 0))).toBe(
    true,
  );
});
