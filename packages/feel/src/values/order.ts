import type { Meter } from '../budget.ts';
import { cost, unitsPerStep } from '../cost.ts';
import { dayNumber } from '../temporal/calendar.ts';
import { epochNanoseconds, nanosecondsOfTime } from '../temporal/instants.ts';
import type { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from './temporal.ts';
import { equal } from './equality.ts';
import { kindOf } from './kind.ts';
import { compareNumbers } from './number.ts';
import { FeelRange, type FeelNumber, type Value } from './value.ts';

/**
 * Negative, zero or positive, as the left value comes before, with or after the right one. Null where FEEL has no order
 * (DMN 1.5, table 54): between different kinds, and between one time with and one without a zone. Without `meter` the
 * caller has paid.
 */
export function order(left: Value, right: Value, meter?: Meter): number | null {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return null;
  switch (kind) {
    case 'number':
      return compareNumbers(left as FeelNumber, right as FeelNumber);
    case 'string':
      meter?.scan(Math.min((left as string).length, (right as string).length), unitsPerStep.compared);
      return compare(left as string, right as string);
    case 'date':
      return dayNumber(left as FeelDate) - dayNumber(right as FeelDate);
    case 'time':
      spendOnZones(left as FeelTime, right as FeelTime, meter);
      return orderTimes(left as FeelTime, right as FeelTime);
    case 'date and time':
      spendOnZones((left as FeelDateTime).time, (right as FeelDateTime).time, meter);
      return orderDateTimes(left as FeelDateTime, right as FeelDateTime);
    case 'days and time duration':
      return compare((left as DaysDuration).nanoseconds, (right as DaysDuration).nanoseconds);
    case 'years and months duration':
      return (left as MonthsDuration).months - (right as MonthsDuration).months;
    default:
      return null;
  }
}

/** The offset of a named zone has to be found. */
function spendOnZones(left: FeelTime, right: FeelTime, meter: Meter | undefined): void {
  if (typeof left.zone === 'string' || typeof right.zone === 'string') meter?.spend(cost.zone);
}

function compare<T extends string | bigint>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function orderTimes(left: FeelTime, right: FeelTime): number | null {
  if ((left.zone === null) !== (right.zone === null)) return null;
  return nanosecondsOfTime(left) - nanosecondsOfTime(right);
}

function orderDateTimes(left: FeelDateTime, right: FeelDateTime): number | null {
  if ((left.time.zone === null) !== (right.time.zone === null)) return null;
  return compare(epochNanoseconds(left), epochNanoseconds(right));
}

/** Returns whether a value lies in a range. Null where it cannot be compared with the ends. */
export function within(value: Value, range: FeelRange, meter: Meter): boolean | null {
  if (range.relation !== 'within') {
    const same = equal(value, range.start ?? null, meter);
    return range.relation === 'equal' || same === null ? same : !same;
  }
  if (range.start === undefined && range.end === undefined) return null;
  const above = range.start === undefined ? true : onSide(order(value, range.start, meter), range.startIncluded);
  const below = range.end === undefined ? true : onSide(order(range.end, value, meter), range.endIncluded);
  if (above === null || below === null) return null;
  return above && below;
}

function onSide(distance: number | null, included: boolean): boolean | null {
  if (distance === null || Number.isNaN(distance)) return null;
  return distance > 0 || (included && distance === 0);
}
