import { cost, costOfPower } from '../cost.ts';
import {
  addDuration,
  addDurations,
  durationBetween,
  negateDuration,
  type Duration,
  type Point,
} from '../temporal/arithmetic.ts';
import type { BinaryOperator, Relation } from '../syntax/ast.ts';
import { DaysDuration, MonthsDuration, FeelDate, FeelDateTime, FeelTime } from '../values/temporal.ts';
import { equal } from '../values/equality.ts';
import { kindOf } from '../values/kind.ts';
import * as numbers from '../values/number.ts';
import { order } from '../values/order.ts';
import { briefly } from '../values/text.ts';
import type { FeelNumber, Value } from '../values/value.ts';
import type { Span, Run } from './run.ts';

/** A binary operation. Undefined where the operands do not go together. */
type Operation = (left: Value, right: Value, run: Run) => Value | undefined;

function isDuration(value: Value): value is Duration {
  return value instanceof DaysDuration || value instanceof MonthsDuration;
}

function isPoint(value: Value): value is Point {
  return value instanceof FeelDate || value instanceof FeelTime || value instanceof FeelDateTime;
}

function add(left: Value, right: Value, run: Run): Value | undefined {
  if (numbers.isNumber(left) && numbers.isNumber(right)) return numbers.add(left, right);
  if (typeof left === 'string' && typeof right === 'string') {
    run.meter.text(left.length + right.length);
    return left + right;
  }
  if (isDuration(left) && isDuration(right)) return addDurations(left, right) ?? undefined;
  if (isPoint(left) && isDuration(right)) return addDuration(left, right) ?? undefined;
  if (isDuration(left) && isPoint(right)) return addDuration(right, left) ?? undefined;
  return undefined;
}

function subtract(left: Value, right: Value): Value | undefined {
  if (numbers.isNumber(left) && numbers.isNumber(right)) return numbers.subtract(left, right);
  if (isDuration(left) && isDuration(right)) return addDurations(left, negateDuration(right)) ?? undefined;
  if (isPoint(left) && isDuration(right)) return addDuration(left, negateDuration(right)) ?? undefined;
  if (isPoint(left) && isPoint(right)) return durationBetween(right, left) ?? undefined;
  return undefined;
}

/** Nanoseconds of long durations have more digits than numbers. */
const WideDecimal = numbers.Decimal.clone({ precision: 80 });

/** A duration multiplied or divided by a number, cut to whole nanoseconds or months. */
function scale(duration: Duration, by: FeelNumber, operation: 'times' | 'div'): Value | undefined {
  const amount = duration instanceof MonthsDuration ? duration.months : duration.nanoseconds.toString();
  const result = new WideDecimal(amount)[operation](numbers.toDecimal(by)).trunc();
  if (!result.isFinite() || result.e > 40) return undefined;
  if (duration instanceof DaysDuration) return new DaysDuration(BigInt(result.toFixed()));
  const months = result.toNumber();
  return Number.isSafeInteger(months) ? new MonthsDuration(months || 0) : undefined;
}

function multiply(left: Value, right: Value): Value | undefined {
  if (numbers.isNumber(left)) {
    if (numbers.isNumber(right)) return numbers.multiply(left, right);
    return isDuration(right) ? scale(right, left, 'times') : undefined;
  }
  return isDuration(left) && numbers.isNumber(right) ? scale(left, right, 'times') : undefined;
}

function divide(left: Value, right: Value): Value | undefined {
  if (numbers.isNumber(right)) {
    if (numbers.isZero(right)) return undefined;
    if (numbers.isNumber(left)) return numbers.divide(left, right);
    return isDuration(left) ? scale(left, right, 'div') : undefined;
  }
  if (left instanceof MonthsDuration && right instanceof MonthsDuration) {
    return numbers.divide(left.months, right.months) ?? undefined;
  }
  if (left instanceof DaysDuration && right instanceof DaysDuration && right.nanoseconds !== 0n) {
    const quotient = new numbers.Decimal(left.nanoseconds.toString()).div(right.nanoseconds.toString());
    return numbers.fromDecimal(quotient) ?? undefined;
  }
  return undefined;
}

function exponentiate(left: Value, right: Value): Value | undefined {
  return numbers.isNumber(left) && numbers.isNumber(right) ? (numbers.power(left, right) ?? undefined) : undefined;
}

const ARITHMETIC: Readonly<Record<Exclude<BinaryOperator, Relation>, Operation>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '**': exponentiate,
};

const VERBS: Readonly<Record<Exclude<BinaryOperator, Relation>, string>> = {
  '+': 'added to',
  '-': 'reduced by',
  '*': 'multiplied by',
  '/': 'divided by',
  '**': 'raised to',
};

/** Integers and texts pay for themselves. */
function spendBefore(left: Value, right: Value, isPower: boolean, { meter }: Run): void {
  if (numbers.isNumber(left) && numbers.isNumber(right)) {
    if (isPower) meter.spend(costOfPower(numbers.toDouble(right)));
  } else if (isDuration(left) || isDuration(right)) {
    meter.spend(isPoint(left) || isPoint(right) ? cost.zone : cost.durationScaled);
  } else if (isPoint(left) && isPoint(right)) meter.spend(cost.zone);
}

export function arithmetic(
  operator: Exclude<BinaryOperator, Relation>,
): (l: Value, r: Value, run: Run, at: Span) => Value {
  const operation = ARITHMETIC[operator];
  const isPower = operator === '**';
  return (left, right, run, span) => {
    spendBefore(left, right, isPower, run);
    const result = operation(left, right, run) ?? undefined;
    if (numbers.isNumber(result) && !Number.isSafeInteger(result)) run.meter.spend(cost.decimal);
    if (result !== undefined) return result;
    return run.warn('INVALID_TYPE', `${briefly(left)} cannot be ${VERBS[operator]} ${briefly(right)}.`, span);
  };
}

export function negated(value: Value, run: Run, span: Span): Value {
  if (numbers.isNumber(value)) return numbers.negate(value);
  if (isDuration(value)) return negateDuration(value);
  return run.warn('INVALID_TYPE', `${briefly(value)} has no negative.`, span);
}

/** The result of each comparison for an order. */
const ORDERS: Readonly<Record<Exclude<Relation, '=' | '!='>, (distance: number) => boolean>> = {
  '<': (distance) => distance < 0,
  '<=': (distance) => distance <= 0,
  '>': (distance) => distance > 0,
  '>=': (distance) => distance >= 0,
};

export function comparison(relation: Relation): (l: Value, r: Value, run: Run, at: Span) => boolean | null {
  if (relation === '=' || relation === '!=') {
    const expected = relation === '=';
    return (left, right, run, span) => {
      const same = equal(left, right, run.meter);
      return same === null ? incomparable(left, right, run, span) : same === expected;
    };
  }
  const holds = ORDERS[relation];
  return (left, right, run, span) => {
    const distance = order(left, right, run.meter);
    return distance === null ? incomparable(left, right, run, span) : holds(distance);
  };
}

export function incomparable(left: Value, right: Value, run: Run, span: Span): null {
  const [one, other] = [kindOf(left), kindOf(right)];
  const why = one === other || one === 'null' || other === 'null' ? '' : `: one is a ${one}, the other a ${other}`;
  return run.warn('NOT_COMPARABLE', `${briefly(left)} cannot be compared with ${briefly(right)}${why}.`, span);
}
