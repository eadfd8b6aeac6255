/** The value of a decimal number without its sign: digits without zeros at either end, and the power of ten of the last one. */
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** The most that `toPrecision` writes. */
const MOST_DIGITS = 100;

/**
 * Whether a number of a JSON text is the same after it has become a double: written again with as many digits, it has the
 * same ones. So 0.1 and 1e3 are exact, and 9007199254740993 and 1e400 are not.
 */
export function isExactNumber(text: string): boolean {
  const [digits, power] = decimal(text);
  if (digits === '') return true;
  if (digits.length > MOST_DIGITS) return false;
  const value = Number(text);
  if (!Number.isFinite(value) || value === 0) return false;
  const [sameDigits, samePower] = decimal(value.toPrecision(digits.length));
  return digits === sameDigits && power === samePower;
}

function decimal(text: string): [digits: string, power: number] {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return [digits, Number(exponent) - fraction.length + (all.length - digits.length)];
}
