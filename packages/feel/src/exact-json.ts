import { decimalOf, isSameDecimal } from './decimal.ts';
import { ExactNumber } from './values/exact.ts';
import type { JsonValue } from './values/value.ts';

/** A number with an exponent, or with more than 15 characters. Every other number is what its double prints as. */
const SUSPECT = /(?:^|[[:,\s])-?(?:[0-9][0-9.]{15}|[0-9.]{1,16}[eE])/;
const NUMBER = /-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?/g;
const INTEGER = /^-?[0-9]+$/;

/** `JSON.parse` with the source of numbers, which TypeScript does not know yet. */
type ParseWithSource = (text: string, reviver: (key: string, value: unknown, context: Source) => unknown) => unknown;
interface Source {
  readonly source?: string;
}

/**
 * Reads JSON without rounding a number: a number that is not a double becomes an `ExactNumber`. It keeps the value of a
 * number and not its notation: 1.0 is 1, and -0 is 0. Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseExact(text: string): JsonValue {
  if (!hasInexact(text)) return JSON.parse(text) as JsonValue;
  try {
    return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && !isExact(source, value) ? new ExactNumber(source) : value,
    ) as JsonValue;
  } catch (error) {
    // Too deeply nested for the stack: the caller refuses that depth.
    if (error instanceof RangeError) return JSON.parse(text) as JsonValue;
    throw error;
  }
}

/**
 * Returns whether a JSON text may contain a number that a double would round. Digits in its strings may look like one.
 */
export function hasInexact(text: string): boolean {
  if (!SUSPECT.test(text)) return false;
  for (const [number] of text.matchAll(NUMBER)) {
    if (!isExact(number, Number(number))) return true;
  }
  return false;
}

/**
 * Returns whether a double prints as the number of a text. An integer has to be a safe one: the next integer is a
 * double as well.
 */
export function isExact(source: string, double: number): boolean {
  if (INTEGER.test(source)) return Number.isSafeInteger(double);
  if (!Number.isFinite(double)) return false;
  const printed = String(double);
  return printed === source || isSameDecimal(decimalOf(printed), decimalOf(source));
}
