import { dayOfWeek } from '../temporal/calendar.ts';
import { offsetOf } from '../temporal/instants.ts';
import { standardOffset } from '../temporal/zones.ts';
import { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from '../values/temporal.ts';
import { FeelRange, type Value } from '../values/value.ts';

type Properties<T> = ReadonlyMap<string, (value: T) => Value>;

const DATE: Properties<FeelDate> = new Map<string, (date: FeelDate) => Value>([
  ['year', (date) => date.year],
  ['month', (date) => date.month],
  ['day', (date) => date.day],
  ['weekday', dayOfWeek],
]);

const CLOCK: Properties<FeelTime> = new Map<string, (time: FeelTime) => Value>([
  ['hour', (time) => Math.floor(time.nanosecondOfDay / 3.6e12)],
  ['minute', (time) => Math.floor(time.nanosecondOfDay / 6e10) % 60],
  ['second', (time) => Math.floor(time.nanosecondOfDay / 1e9) % 60],
  ['timezone', (time) => (typeof time.zone === 'string' ? time.zone : null)],
]);

const DAYS: Properties<DaysDuration> = new Map<string, (duration: DaysDuration) => Value>([
  ['days', ({ nanoseconds }) => Number(nanoseconds / 86_400_000_000_000n)],
  ['hours', ({ nanoseconds }) => Number((nanoseconds / 3_600_000_000_000n) % 24n)],
  ['minutes', ({ nanoseconds }) => Number((nanoseconds / 60_000_000_000n) % 60n)],
  ['seconds', ({ nanoseconds }) => Number((nanoseconds / 1_000_000_000n) % 60n)],
]);

const MONTHS: Properties<MonthsDuration> = new Map<string, (duration: MonthsDuration) => Value>([
  ['years', ({ months }) => Math.trunc(months / 12) || 0],
  ['months', ({ months }) => months % 12 || 0],
]);

const RANGE: Properties<FeelRange> = new Map<string, (range: FeelRange) => Value>([
  ['start', (range) => range.start ?? null],
  ['end', (range) => range.end ?? null],
  ['start included', (range) => range.startIncluded],
  ['end included', (range) => range.endIncluded],
]);

function duration(seconds: number | null): DaysDuration | null {
  return seconds === null ? null : new DaysDuration(BigInt(seconds) * 1_000_000_000n);
}

/** A property of a value that is neither list nor context (DMN 1.5, tables 60 to 63). Undefined if it has none such. */
export function property(value: Value, name: string): Value | undefined {
  if (value instanceof FeelDate) return DATE.get(name)?.(value);
  if (value instanceof FeelTime) {
    if (name === 'time offset') return duration(value.zone === null ? null : standardOffset(value.zone));
    return CLOCK.get(name)?.(value);
  }
  if (value instanceof FeelDateTime) {
    if (name === 'time offset') return duration(offsetOf(value));
    const found = DATE.get(name)?.(value.date);
    return found === undefined ? CLOCK.get(name)?.(value.time) : found;
  }
  if (value instanceof DaysDuration) return DAYS.get(name)?.(value);
  if (value instanceof MonthsDuration) return MONTHS.get(name)?.(value);
  if (value instanceof FeelRange) return RANGE.get(name)?.(value);
  return undefined;
}
