import { decimalOf } from '@kethub/feel';

/** The most digits that `toPrecision` writes; a number with more counts as inexact. */
const MOST_DIGITS = 100;

/**
 * Returns whether a number of a JSON text survives as a double: the double, written with as many digits, has the same
 * digits. 0.1 and 1e3 are exact; 9007199254740993 and 1e400 are not.
 */
export function isExactNumber(text: string): boolean {
  const { digits, exponent } = decimalOf(text);
  if (digits === '') return true;
  if (digits.length > MOST_DIGITS) return false;
  const value = Number(text);
  if (!Number.isFinite(value) || value === 0) return false;
  const written = decimalOf(value.toPrecision(digits.length));
  return digits === written.digits && exponent === written.exponent;
}
