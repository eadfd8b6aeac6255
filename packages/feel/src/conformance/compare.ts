import { DEFAULT_BUDGET, Meter } from '../budget.ts';
import { equal } from '../values/equality.ts';
import { isContext, isList, kindOf } from '../values/kind.ts';
import { isNumber, toDouble } from '../values/number.ts';
import type { Value } from '../values/value.ts';

const TOLERANCE = 1e-8;

/**
 * Returns whether a result is the expected one: numbers but for rounding, temporal values by the language's own
 * equality.
 */
export function isExpected(actual: Value, expected: Value): boolean {
  if (isNumber(expected)) return isNumber(actual) && isClose(toDouble(actual), toDouble(expected));
  if (isList(expected)) {
    return (
      isList(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => isExpected(actual[index] ?? null, item))
    );
  }
  if (isContext(expected)) {
    const names = Object.keys(expected);
    return (
      isContext(actual) &&
      names.length === Object.keys(actual).length &&
      names.every((name) => Object.hasOwn(actual, name) && isExpected(actual[name] ?? null, expected[name] ?? null))
    );
  }
  return kindOf(actual) === kindOf(expected) && equal(actual, expected, new Meter(DEFAULT_BUDGET)) === true;
}

function isClose(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= TOLERANCE * Math.max(1, Math.abs(expected));
}
