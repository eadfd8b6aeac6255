import { Decimal as AnyDecimal } from 'decimal.js';
import { FeelBudgetError } from '../errors.ts';
import { ExactNumber } from './exact.ts';
import type { FeelNumber } from './value.ts';

/** IEEE 754 decimal128, on which DMN bases its numbers: 34 digits, half even, exponents up to 6144. */
const PRECISION = 34;
const Decimal = AnyDecimal.clone({
  precision: PRECISION,
  rounding: AnyDecimal.ROUND_HALF_EVEN,
  maxE: 6144,
  minE: -6176,
});
export type Decimal = AnyDecimal;
export { Decimal };

/** Any decimal number of so many digits is what its nearest double prints as. */
const EXACT_DIGITS = 15;
/** Fractions with so many places are computed as integers: 50 times as fast as decimals. */
const SHORT = 1e6;
const SHORT_SQUARED = SHORT * SHORT;
const EXACT_LIMIT = 1e15;

export function isNumber(value: unknown): value is FeelNumber {
  return typeof value === 'number' || value instanceof AnyDecimal || value instanceof ExactNumber;
}

/**
 * Converts a number for computing: 34 digits. Throws `FeelBudgetError` for a number beyond the exponents of decimal128.
 */
export function toDecimal(value: FeelNumber): Decimal {
  if (typeof value === 'number') return new Decimal(value);
  return value instanceof ExactNumber ? exactDecimal(value).toSignificantDigits(PRECISION) : value;
}

/** With all its digits, however many there are. */
function exactDecimal(value: FeelNumber): Decimal {
  if (!(value instanceof ExactNumber)) return toDecimal(value);
  const decimal = new Decimal(value.requireShort());
  const isLost = !decimal.isFinite() || (decimal.isZero() && /[1-9]/.test(value.text.split(/e/i, 1)[0] ?? ''));
  if (!isLost) return decimal;
  throw new FeelBudgetError(
    'digits',
    `The number ${value.text.slice(0, 40)} is beyond what can be computed with: exponents from -6176 to 6144.`,
  );
}

/** The shortest form of a result: a double where that is exact. Null where it is not a number or too large. */
export function fromDecimal(value: Decimal): FeelNumber | null {
  if (!value.isFinite()) return null;
  if (value.isZero()) return 0;
  if (value.precision() <= EXACT_DIGITS && value.e < 300 && value.e > -300) return value.toNumber();
  const double = value.toNumber();
  return Number.isSafeInteger(double) && value.isInteger() ? double : value;
}

/** Reads a literal of FEEL, with all its digits. Null if it is out of range. */
export function parseNumber(text: string): FeelNumber | null {
  const decimal = new Decimal(text);
  return decimal.isFinite() && decimal.precision() > PRECISION ? exactNumber(decimal) : fromDecimal(decimal);
}

/** As JSON has it: a double where that prints as the number. */
export function toJsonNumber(value: FeelNumber): number | ExactNumber | null {
  if (value instanceof ExactNumber) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (!value.isFinite()) return null;
  const double = value.toNumber();
  const isPrinted = Number.isFinite(double) && new Decimal(double).equals(value);
  return isPrinted && (!value.isInteger() || Number.isSafeInteger(double)) ? double : exactNumber(value);
}

/** Digits up to which integers are written without an exponent. Longer ones have one. */
const WRITTEN_OUT = 400;

function exactNumber(value: Decimal): ExactNumber {
  return new ExactNumber(value.isInteger() && value.e < WRITTEN_OUT ? value.toFixed() : value.toString());
}

/** The number as the nearest double. */
export function toDouble(value: FeelNumber): number {
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? Number(value.text) : value.toNumber();
}

/** A whole number that a double holds exactly, or undefined. */
export function toInteger(value: FeelNumber): number | undefined {
  const double = toDouble(value);
  return Number.isSafeInteger(double) && (typeof value === 'number' || exactDecimal(value).isInteger())
    ? double
    : undefined;
}

/** The whole part of a number, as positions and lengths take it; the nearest limit where it is too large. */
export function truncate(value: FeelNumber): number {
  return Math.trunc(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, toDouble(value))));
}

/** The number as text, without exponent. */
export function formatNumber(value: FeelNumber): string {
  if (typeof value === 'number') {
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size < 1e21 && size >= 1e-6) return String(value);
  }
  return exactDecimal(value).toFixed();
}

/** A double as a multiple of one millionth, if it is one exactly and safely; otherwise NaN. */
function millionths(value: number): number {
  const scaled = Math.round(value * SHORT);
  return Math.abs(scaled) < EXACT_LIMIT && scaled / SHORT === value ? scaled : Number.NaN;
}

export function add(left: FeelNumber, right: FeelNumber): FeelNumber | null {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(sum)) return sum;
    const short = millionths(left) + millionths(right);
    if (Math.abs(short) < EXACT_LIMIT) return short / SHORT;
  }
  return fromDecimal(toDecimal(left).plus(toDecimal(right)));
}

export function subtract(left: FeelNumber, right: FeelNumber): FeelNumber | null {
  return add(left, negate(right));
}

export function negate(value: FeelNumber): FeelNumber {
  if (value instanceof ExactNumber)
    return new ExactNumber(value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`);
  if (typeof value !== 'number') return value.negated();
  return value === 0 ? 0 : -value;
}

export function multiply(left: FeelNumber, right: FeelNumber): FeelNumber | null {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(product)) return product || 0;
    const short = millionths(left) * millionths(right);
    if (Math.abs(short) < EXACT_LIMIT) return short / SHORT_SQUARED || 0;
  }
  return fromDecimal(toDecimal(left).times(toDecimal(right)));
}

/** Null when the divisor is zero. */
export function divide(left: FeelNumber, right: FeelNumber): FeelNumber | null {
  if (isZero(right)) return null;
  if (typeof left === 'number' && typeof right === 'number') {
    const quotient = left / right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(quotient)) {
      return quotient || 0;
    }
  }
  return fromDecimal(toDecimal(left).div(toDecimal(right)));
}

/** Null where the power is not a real number or out of range. */
export function power(base: FeelNumber, exponent: FeelNumber): FeelNumber | null {
  return fromDecimal(toDecimal(base).pow(toDecimal(exponent)));
}

/** `dividend - divisor * floor(dividend / divisor)` (DMN 1.5, table 78). Null when the divisor is zero. */
export function modulo(dividend: FeelNumber, divisor: FeelNumber): FeelNumber | null {
  if (isZero(divisor)) return null;
  const by = toDecimal(divisor);
  const remainder = toDecimal(dividend).mod(by);
  return fromDecimal(remainder.isZero() || remainder.isNegative() === by.isNegative() ? remainder : remainder.plus(by));
}

export function isZero(value: FeelNumber): boolean {
  return typeof value === 'number' ? value === 0 : toDecimal(value).isZero();
}

/** Negative, zero or positive, as the left number is less than, equal to or greater than the right one. */
export function compareNumbers(left: FeelNumber, right: FeelNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return exactDecimal(left).comparedTo(exactDecimal(right));
}
