/**
 * A decimal number in normal form: `digits` without zeros at either end (empty for zero), times ten to the `exponent`.
 */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO = '0'.charCodeAt(0);

/** The normal form of a JSON number. An exponent beyond 2^53 is rounded: no double has one beyond 400. */
export function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  // Not with a regular expression: `0+$` takes quadratic time on a long run of zeros before another digit.
  while (from < to && all.charCodeAt(from) === ZERO) from += 1;
  while (to > from && all.charCodeAt(to - 1) === ZERO) to -= 1;
  return {
    isNegative: sign !== '',
    digits: all.slice(from, to),
    exponent: Number(exponent) - fraction.length + (all.length - to),
  };
}

/** Returns whether two numbers are equal; -0 is 0. */
export function isSameDecimal(one: Decimal, other: Decimal): boolean {
  if (one.digits !== other.digits) return false;
  return one.digits === '' || (one.exponent === other.exponent && one.isNegative === other.isNegative);
}
