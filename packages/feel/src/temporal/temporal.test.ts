import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FeelDate, DaysDuration, MonthsDuration, FeelTime, FeelDateTime } from '../values/temporal.ts';
import { dateOfDay, dayNumber, dayOfWeek, weekOfYear } from './calendar.ts';
import { formatDate, formatDateTime, formatDays, formatMonths } from './format.ts';
import { atEpoch, epochNanoseconds } from './instants.ts';
import { NANOSECONDS_PER_DAY, parseDate, parseDateTime, parseDuration } from './parse.ts';
import { offsetAt, offsetOfLocal } from './zones.ts';

const days = fc.integer({ min: -3e11, max: 3e11 });
const zones = fc.constantFrom(
  null,
  0,
  3600,
  -12_345,
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Etc/UTC',
);

it('days, dates and their texts are the same the way there and back', () => {
  fc.assert(
    fc.property(days, (day) => {
      const date = dateOfDay(day);
      expect(date && dayNumber(date)).toBe(day);
      expect(date && parseDate(formatDate(date))).toEqual(date);
    }),
  );
});

it('agrees with the calendar of JavaScript where that reaches', () => {
  fc.assert(
    fc.property(fc.integer({ min: -50_000_000, max: 50_000_000 }), (day) => {
      const date = dateOfDay(day);
      const other = new Date(day * 86_400_000);
      expect(date).toEqual(new FeelDate(other.getUTCFullYear(), other.getUTCMonth() + 1, other.getUTCDate()));
      expect(date && dayOfWeek(date) % 7).toBe(other.getUTCDay());
    }),
  );
});

it('a date and time is read back from its text, and from its moment where clocks are not set back', () => {
  const times = fc.record({ day: days, nanosecond: fc.integer({ min: 0, max: NANOSECONDS_PER_DAY - 1 }), zone: zones });
  fc.assert(
    fc.property(times, ({ day, nanosecond, zone }) => {
      const date = dateOfDay(day) ?? new FeelDate(2030, 1, 1);
      const value = new FeelDateTime(date, new FeelTime(nanosecond, zone));
      expect(parseDateTime(formatDateTime(value))).toEqual(value);
      const again = atEpoch(epochNanoseconds(value), zone);
      expect(again && epochNanoseconds(again)).toBe(epochNanoseconds(value));
    }),
  );
});

it('durations are read back from their texts', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer(), (nanoseconds, months) => {
      expect(parseDuration(formatDays(new DaysDuration(nanoseconds)))).toEqual(new DaysDuration(nanoseconds));
      expect(parseDuration(formatMonths(new MonthsDuration(months)))).toEqual(new MonthsDuration(months));
    }),
  );
});

it('offsets follow the rules of zones, at gaps, overlaps and in years far away', () => {
  const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
  expect(offsetAt(at('2030-07-01T00:00'), 'Europe/Berlin')).toBe(7200);
  expect(offsetOfLocal(at('2030-03-31T02:30'), 'Europe/Berlin')).toBe(3600);
  expect(offsetOfLocal(at('2030-10-27T02:30'), 'Europe/Berlin')).toBe(7200);
  expect(offsetOfLocal(at('2030-10-27T03:30'), 'Europe/Berlin')).toBe(3600);
  expect(offsetAt(at('1880-01-01T00:00'), 'Europe/Berlin')).toBe(3208);
  expect(offsetAt(3e16, 'Etc/UTC')).toBe(0);
  expect(offsetAt(-60_000_000_000, 'Etc/UTC')).toBe(0);
});

it('weeks are those of ISO 8601', () => {
  expect(weekOfYear(new FeelDate(2005, 1, 1))).toBe(53);
  expect(weekOfYear(new FeelDate(2008, 12, 29))).toBe(1);
  expect(weekOfYear(new FeelDate(2020, 12, 31))).toBe(53);
});
