import { FeelDate, FeelDateTime, FeelTime, type Zone } from '../values/temporal.ts';
import { dateOfDay, dayNumber } from './calendar.ts';
import { offsetAt, offsetOfLocal, standardOffset } from './zones.ts';

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

/** Nanoseconds since 1970-01-01T00:00:00 in local time. */
function localNanoseconds({ date, time }: FeelDateTime): bigint {
  return BigInt(dayNumber(date)) * DAY + BigInt(time.nanosecondOfDay);
}

/** Nanoseconds since 1970-01-01T00:00:00Z; a date and time without a zone is taken as one in UTC. */
export function epochNanoseconds(value: FeelDateTime): bigint {
  return localNanoseconds(value) - BigInt(offsetOf(value) ?? 0) * SECOND;
}

/** Offset from UTC in seconds, or null without a zone. */
export function offsetOf({ date, time }: FeelDateTime): number | null {
  if (time.zone === null || typeof time.zone === 'number') return time.zone;
  return offsetOfLocal(dayNumber(date) * 86_400 + Math.floor(time.nanosecondOfDay / 1e9), time.zone);
}

/** The local date and time at a moment in a zone. Null if the year is out of range. */
export function atEpoch(nanoseconds: bigint, zone: Zone | null): FeelDateTime | null {
  const offset = zone === null ? 0 : offsetAt(Number(nanoseconds / SECOND), zone);
  return ofLocal(nanoseconds + BigInt(offset) * SECOND, zone);
}

function ofLocal(nanoseconds: bigint, zone: Zone | null): FeelDateTime | null {
  const inDay = ((nanoseconds % DAY) + DAY) % DAY;
  const date = dateOfDay(Number((nanoseconds - inDay) / DAY));
  return date && new FeelDateTime(date, new FeelTime(Number(inDay), zone));
}

/** Nanoseconds from midnight UTC, outside of the day where the offset is large; without a zone those of its clock. */
export function nanosecondsOfTime({ nanosecondOfDay, zone }: FeelTime): number {
  return nanosecondOfDay - (zone === null ? 0 : standardOffset(zone)) * 1e9;
}

export function atMidnight(date: FeelDate, zone: Zone | null): FeelDateTime {
  return new FeelDateTime(date, new FeelTime(0, zone));
}
