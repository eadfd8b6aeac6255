/**
 * Steps of operations that cost more than one. A step is some 0.1 microseconds, measured with Node 24 on a machine of
 * two cores. A test counts the steps of each; `docs/feel.md` lists the limits that follow.
 */
export const cost = {
  /** `+ - *` with decimals, and every division that has a rest. */
  decimal: 30,
  /** A power with an exponent that is no integer. */
  power: 4000,
  sqrt: 350,
  logarithm: 2000,
  exponential: 1500,
  modulo: 90,
  rounding: 40,
  durationScaled: 150,
  /** Anything that needs the offset of a time zone at a moment. */
  zone: 200,
  /** Reading a number, date, time, duration or range from a text. */
  parse: 40,
  /** Per item: what is sorted; decimals that are added; squares of decimals. */
  sorted: 4,
  added: 20,
  squared: 70,
  /** A regular expression: its first use in an evaluation, and each character and instruction of it then. */
  pattern: 400,
  patternPart: 30,
  /** Per date of a range. */
  day: 4,
  /** Each search for a match. */
  find: 30,
} as const;

/** Units of text in one step. */
export const unitsPerStep = {
  compared: 500,
  counted: 30,
  trimmed: 20,
  cased: 50,
  found: 100,
  /** A long text is looked for. */
  foundLong: 25,
  decoded: 20,
  written: 25,
  /** JSON that is read. */
  read: 2,
  /** Digits of numbers. */
  digits: 6,
} as const;

/** A power with an integer as exponent is made of squares. */
export function costOfPower(exponent: number): number {
  if (!Number.isInteger(exponent)) return cost.power;
  return 40 + 30 * Math.ceil(Math.log2(Math.abs(exponent) + 1));
}
