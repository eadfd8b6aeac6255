import type { Decimal as AnyDecimal } from 'decimal.js';
import { cost } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import { DaysDuration, MonthsDuration } from '../values/temporal.ts';
import { Decimal, fromDecimal, modulo, negate, toDecimal, truncate } from '../values/number.ts';
import type { FeelNumber, Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

type Rounding = AnyDecimal.Rounding;

// DMN 1.5, table 78. Scales are those of decimal128.
const SMALLEST_SCALE = -6111;
const LARGEST_SCALE = 6176;

function round(call: CallSite, n: FeelNumber, scale: FeelNumber, mode: Rounding): Value {
  call.spend(cost.rounding);
  const places = truncate(scale);
  if (places < SMALLEST_SCALE || places > LARGEST_SCALE) {
    return call.fail(`the scale must lie between ${SMALLEST_SCALE} and ${LARGEST_SCALE}.`);
  }
  const exact = toDecimal(n);
  if (places >= exact.decimalPlaces()) return n;
  if (places >= 0) return fromDecimal(exact.toDecimalPlaces(places, mode));
  const unit = new Decimal(10).pow(-places);
  return fromDecimal(exact.div(unit).toDecimalPlaces(0, mode).times(unit));
}

function rounding(mode: Rounding): Builtin {
  return new Builtin([
    signature(['n: number', 'scale: number'], (call, n, scale) => round(call, n, scale, mode)),
    signature(['n: number'], (call, n) => round(call, n, 0, mode)),
  ]);
}

const MODES: Readonly<Record<string, Rounding>> = {
  UP: Decimal.ROUND_UP,
  DOWN: Decimal.ROUND_DOWN,
  CEILING: Decimal.ROUND_CEIL,
  FLOOR: Decimal.ROUND_FLOOR,
  HALF_UP: Decimal.ROUND_HALF_UP,
  HALF_DOWN: Decimal.ROUND_HALF_DOWN,
  HALF_EVEN: Decimal.ROUND_HALF_EVEN,
};

function roundBy(call: CallSite, n: FeelNumber, scale: FeelNumber, name: string): Value {
  const mode = MODES[name.toUpperCase()];
  return mode === undefined
    ? call.fail(`the mode must be one of ${Object.keys(MODES).join(', ')}.`)
    : round(call, n, scale, mode);
}

function calculated(
  steps: number,
  calculate: (number: Decimal) => Decimal,
  isAllowed: (number: Decimal) => boolean,
  needs: string,
): Builtin {
  return new Builtin([
    signature(['number: number'], (call, number) => {
      call.spend(steps);
      const exact = toDecimal(number);
      const result = isAllowed(exact) ? fromDecimal(calculate(exact)) : null;
      return result ?? call.fail(`the number ${needs}.`);
    }),
  ]);
}

/** A remainder is found digit by digit: the further two exponents are apart, the longer it takes. */
function exponentOf(number: FeelNumber): number {
  return Math.abs(toDecimal(number).e || 0);
}

function remainderOfTwo(expected: number): Builtin {
  return new Builtin([
    signature(['number: number'], (call, number) => {
      call.spend(cost.modulo + exponentOf(number));
      return toDecimal(number).mod(2).abs().equals(expected);
    }),
  ]);
}

function absolute(n: FeelNumber): FeelNumber {
  return toDecimal(n).isNegative() ? negate(n) : n;
}

function absoluteDuration(n: DaysDuration | MonthsDuration): Value {
  if (n instanceof MonthsDuration) return new MonthsDuration(Math.abs(n.months));
  return n.nanoseconds < 0n ? new DaysDuration(-n.nanoseconds) : n;
}

export const numbers: readonly (readonly [string, Builtin])[] = [
  [
    'decimal',
    new Builtin([
      signature(['n: number', 'scale: number'], (call, n, scale) => round(call, n, scale, Decimal.ROUND_HALF_EVEN)),
      signature(['n: number', 'scale: number', 'mode: string'], roundBy),
    ]),
  ],
  ['floor', rounding(Decimal.ROUND_FLOOR)],
  ['ceiling', rounding(Decimal.ROUND_CEIL)],
  ['round up', rounding(Decimal.ROUND_UP)],
  ['round down', rounding(Decimal.ROUND_DOWN)],
  ['round half up', rounding(Decimal.ROUND_HALF_UP)],
  ['round half down', rounding(Decimal.ROUND_HALF_DOWN)],
  [
    'abs',
    new Builtin([
      signature(['n: number'], (_call, n) => absolute(n)),
      signature(['number: number'], (_call, n) => absolute(n)),
      signature(['n: duration'], (_call, n) => absoluteDuration(n)),
    ]),
  ],
  [
    'modulo',
    new Builtin([
      signature(['dividend: number', 'divisor: number'], (call, dividend, divisor) => {
        call.spend(cost.modulo + exponentOf(dividend) + exponentOf(divisor));
        return modulo(dividend, divisor) ?? call.fail('the divisor is zero.');
      }),
    ]),
  ],
  [
    'sqrt',
    calculated(
      cost.sqrt,
      (number) => number.sqrt(),
      (number) => !number.isNegative() || number.isZero(),
      'is negative',
    ),
  ],
  [
    'log',
    calculated(
      cost.logarithm,
      (number) => number.ln(),
      (number) => number.isPositive() && !number.isZero(),
      'is not positive',
    ),
  ],
  [
    'exp',
    calculated(
      cost.exponential,
      (number) => number.exp(),
      () => true,
      'is too large',
    ),
  ],
  ['odd', remainderOfTwo(1)],
  ['even', remainderOfTwo(0)],
  [
    'random number',
    new Builtin([
      signature([], (call) => call.run.options.random?.() ?? call.fail('there is no source of random values here.')),
    ]),
  ],
];
