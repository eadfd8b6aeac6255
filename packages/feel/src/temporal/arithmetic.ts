import { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from '../values/temporal.ts';
import { addMonths } from './calendar.ts';
import { atEpoch, atMidnight, epochNanoseconds, nanosecondsOfTime } from './instants.ts';
import { NANOSECONDS_PER_DAY } from './parse.ts';

/** The values to which durations can be added. */
export type Point = FeelDate | FeelTime | FeelDateTime;
export type Duration = DaysDuration | MonthsDuration;

/** DMN 1.5, table 58. Null where the two do not go together or the result is out of range. */
export function addDuration(point: Point, duration: Duration): Point | null {
  if (duration instanceof MonthsDuration) return addMonthsTo(point, duration.months);
  return addNanosecondsTo(point, duration.nanoseconds);
}

function addMonthsTo(point: Point, months: number): Point | null {
  if (point instanceof FeelTime) return null;
  if (point instanceof FeelDate) return addMonths(point, months);
  const date = addMonths(point.date, months);
  return date && new FeelDateTime(date, point.time);
}

function addNanosecondsTo(point: Point, nanoseconds: bigint): Point | null {
  if (point instanceof FeelTime) {
    const sum = point.nanosecondOfDay + Number(nanoseconds % BigInt(NANOSECONDS_PER_DAY));
    return new FeelTime((sum + NANOSECONDS_PER_DAY) % NANOSECONDS_PER_DAY, point.zone);
  }
  const start = point instanceof FeelDate ? atMidnight(point, null) : point;
  const end = atEpoch(epochNanoseconds(start) + nanoseconds, start.time.zone);
  return point instanceof FeelDate ? (end?.date ?? null) : end;
}

export function negateDuration(duration: Duration): Duration {
  if (duration instanceof DaysDuration) return new DaysDuration(-duration.nanoseconds);
  return new MonthsDuration(duration.months === 0 ? 0 : -duration.months);
}

/**
 * The time from one point to another (DMN 1.5, table 58). Null between different kinds, and between one with and one
 * without a zone; a date is midnight UTC beside a date and time.
 */
export function durationBetween(from: Point, to: Point): DaysDuration | null {
  if (from instanceof FeelTime || to instanceof FeelTime) {
    if (!(from instanceof FeelTime && to instanceof FeelTime) || (from.zone === null) !== (to.zone === null))
      return null;
    return new DaysDuration(BigInt(nanosecondsOfTime(to) - nanosecondsOfTime(from)));
  }
  const zone = from instanceof FeelDate && to instanceof FeelDate ? null : 0;
  const start = from instanceof FeelDate ? atMidnight(from, zone) : from;
  const end = to instanceof FeelDate ? atMidnight(to, zone) : to;
  if ((start.time.zone === null) !== (end.time.zone === null)) return null;
  return new DaysDuration(epochNanoseconds(end) - epochNanoseconds(start));
}

/** Sum of two durations of one kind; null otherwise. */
export function addDurations(left: Duration, right: Duration): Duration | null {
  if (left instanceof DaysDuration) {
    return right instanceof DaysDuration ? new DaysDuration(left.nanoseconds + right.nanoseconds) : null;
  }
  return right instanceof MonthsDuration ? new MonthsDuration(left.months + right.months) : null;
}
