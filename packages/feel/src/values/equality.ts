import type { Meter } from '../budget.ts';
import { cost, unitsPerStep } from '../cost.ts';
import { epochNanoseconds, nanosecondsOfTime } from '../temporal/instants.ts';
import type { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from './temporal.ts';
import { type Kind, kindOf, member } from './kind.ts';
import { compareNumbers } from './number.ts';
import type { FeelRange, Context, FeelNumber, Value } from './value.ts';

/**
 * FEEL's `=` (DMN 1.5, table 53): null between values of different kinds, and where a secret is concerned. Times are
 * equal to the second, wherever their zones are.
 */
export function equal(left: Value, right: Value, meter: Meter): boolean | null {
  if (typeof left === 'string' && typeof right === 'string') {
    // Texts of different lengths differ, without a comparison.
    if (left.length === right.length) meter.scan(left.length, unitsPerStep.compared);
    return left === right;
  }
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  const kind = kindOf(left);
  const other = kindOf(right);
  if (kind === 'secret' || other === 'secret') return null;
  if (kind === 'null' || other === 'null') return kind === other;
  if (kind !== other) return null;
  meter.spend(1);
  return equalOfKind(kind, left, right, meter);
}

function equalOfKind(kind: Kind, left: Value, right: Value, meter: Meter): boolean | null {
  if (kind === 'time' || kind === 'date and time') meter.spend(cost.zone);
  switch (kind) {
    case 'number':
      return compareNumbers(left as FeelNumber, right as FeelNumber) === 0;
    case 'list':
      return equalLists(left as readonly Value[], right as readonly Value[], meter);
    case 'context':
      return equalContexts(left as Context, right as Context, meter);
    case 'date':
      return equalDates(left as FeelDate, right as FeelDate);
    case 'time':
      return equalTimes(left as FeelTime, right as FeelTime);
    case 'date and time':
      return equalDateTimes(left as FeelDateTime, right as FeelDateTime);
    case 'days and time duration':
      return (left as DaysDuration).nanoseconds === (right as DaysDuration).nanoseconds;
    case 'years and months duration':
      return (left as MonthsDuration).months === (right as MonthsDuration).months;
    case 'range':
      return equalRanges(left as FeelRange, right as FeelRange, meter);
    default:
      return left === right;
  }
}

function equalLists(left: readonly Value[], right: readonly Value[], meter: Meter): boolean {
  if (left.length !== right.length) return false;
  return left.every((item, index) => equal(item, right[index] ?? null, meter) === true);
}

function equalContexts(left: Context, right: Context, meter: Meter): boolean {
  const names = Object.keys(left);
  meter.spend(names.length);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const other = member(right, name);
    return other !== undefined && equal(member(left, name) ?? null, other, meter) === true;
  });
}

function equalDates(left: FeelDate, right: FeelDate): boolean {
  return left.year === right.year && left.month === right.month && left.day === right.day;
}

function equalTimes(left: FeelTime, right: FeelTime): boolean {
  if ((left.zone === null) !== (right.zone === null)) return false;
  return Math.floor(nanosecondsOfTime(left) / 1e9) === Math.floor(nanosecondsOfTime(right) / 1e9);
}

function equalDateTimes(left: FeelDateTime, right: FeelDateTime): boolean {
  if ((left.time.zone === null) !== (right.time.zone === null)) return false;
  return epochSecond(left) === epochSecond(right);
}

function epochSecond(value: FeelDateTime): bigint {
  const nanoseconds = epochNanoseconds(value);
  return (nanoseconds - BigInt(value.time.nanosecondOfDay % 1e9)) / 1_000_000_000n;
}

function equalRanges(left: FeelRange, right: FeelRange, meter: Meter): boolean {
  return (
    left.relation === right.relation &&
    left.startIncluded === right.startIncluded &&
    left.endIncluded === right.endIncluded &&
    equalEnds(left.start, right.start, meter) &&
    equalEnds(left.end, right.end, meter)
  );
}

function equalEnds(left: Value | undefined, right: Value | undefined, meter: Meter): boolean {
  if (left === undefined || right === undefined) return left === right;
  return equal(left, right, meter) === true;
}
