import { ExactNumber } from './values/exact.ts';
import type { JsonValue } from './values/value.ts';

/** A number with an exponent, or of more than 15 characters: any other is what its double prints as. */
const SUSPECT = /(?:^|[[:,\s])-?(?:[0-9][0-9.]{15}|[0-9.]{1,16}[eE])/;
const NUMBER = /-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?/g;
const INTEGER = /^-?[0-9]+$/;

/** `JSON.parse` with the source of numbers, which TypeScript does not know yet. */
type ParseWithSource = (text: string, reviver: (key: string, value: unknown, context: Source) => unknown) => unknown;
interface Source {
  readonly source?: string;
}

/**
 * Reads JSON without rounding a number: one that no double holds becomes an `ExactNumber`. The value of a number is kept and
 * not its notation, so that 1.0 is 1, and -0 is 0. Throws `SyntaxError` as `JSON.parse` does.
 */
export function parseExact(text: string): JsonValue {
  if (!hasInexact(text)) return JSON.parse(text) as JsonValue;
  try {
    return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && !isExact(source, value) ? new ExactNumber(source) : value,
    ) as JsonValue;
  } catch (error) {
    // Nested beyond what a stack holds, and so beyond what anybody keeps: its reader refuses it for that.
    if (error instanceof RangeError) return JSON.parse(text) as JsonValue;
    throw error;
  }
}

/** Whether a JSON text may hold a number that a double would round. Digits in its texts may look like one. */
export function hasInexact(text: string): boolean {
  if (!SUSPECT.test(text)) return false;
  for (const [number] of text.matchAll(NUMBER)) {
    if (!isExact(number, Number(number))) return true;
  }
  return false;
}

/** Whether a double prints as the number that a text writes; of integers only those of which the next one is a double as well. */
export function isExact(source: string, double: number): boolean {
  if (INTEGER.test(source)) return Number.isSafeInteger(double);
  if (!Number.isFinite(double)) return false;
  const printed = String(double);
  return printed === source || normal(printed) === normal(source);
}

/** The digits of a number without zeros around them, and its exponent: equal for equal numbers. */
function normal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const short = digits.replace(/0+$/, '');
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`;
}
