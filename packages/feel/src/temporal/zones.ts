import { dayNumber } from './calendar.ts';
import { FeelDate, type Zone } from '../values/temporal.ts';

// Offsets of the zones of the IANA database, from the ICU of Node. A library for dates would bring 1.2 MB for these two
// questions, and ends at years that FEEL knows.

/** Largest offset from UTC, as in `java.time.ZoneOffset`. */
export const MAX_OFFSET = 18 * 3600;

const formats = new Map<string, Intl.DateTimeFormat | null>();
/** Number of cached formats. There are about 600 names; beyond the limit nothing is cached, whatever callers try. */
const MOST_FORMATS = 1000;
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

function format(name: string): Intl.DateTimeFormat | null {
  const known = formats.get(name);
  if (known !== undefined) return known;
  const made = NAME.test(name) ? makeFormat(name) : null;
  if (formats.size < MOST_FORMATS) formats.set(name, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function isZoneName(name: string): boolean {
  return format(name) !== null;
}

/** A calendar repeats after 400 years, to the day of the week; offsets of far years are those of near ones. */
const CYCLE = 146_097 * 86_400;
const FARTHEST = 8e12;

/** Offset from UTC in seconds at a moment, in seconds from 1970-01-01T00:00:00Z. */
export function offsetAt(epochSeconds: number, zone: Zone): number {
  if (typeof zone === 'number') return zone;
  const formatter = format(zone);
  if (!formatter) return 0;
  const near = Math.abs(epochSeconds) < FARTHEST ? epochSeconds : ((epochSeconds % CYCLE) + CYCLE) % CYCLE;
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  let beforeChrist = false;
  for (const { type, value } of formatter.formatToParts(near * 1000)) {
    if (type === 'era') beforeChrist = value.startsWith('B');
    else if (type in parts) parts[type as keyof typeof parts] = Number(value);
  }
  const year = beforeChrist ? 1 - parts.year : parts.year;
  const days = dayNumber(new FeelDate(year, parts.month, parts.day));
  return days * 86_400 + parts.hour * 3600 + parts.minute * 60 + parts.second - Math.floor(near);
}

/**
 * Offset from UTC in seconds at a local time, given as seconds from 1970-01-01T00:00:00 there. Of two moments with this
 * local time the earlier one counts. A local time that clocks skip is read with the offset before the gap. Both are as
 * in `java.time.ZonedDateTime.of`.
 */
export function offsetOfLocal(localSeconds: number, zone: Zone): number {
  if (typeof zone === 'number') return zone;
  const before = offsetAt(localSeconds - 86_400, zone);
  if (offsetAt(localSeconds - before, zone) === before) return before;
  const after = offsetAt(localSeconds + 86_400, zone);
  return offsetAt(localSeconds - after, zone) === after ? after : before;
}

/** The offset of a time of day in a named zone. Without a date, it is the zone's standard offset of 2024. */
export function standardOffset(zone: Zone): number {
  if (typeof zone === 'number') return zone;
  return Math.min(offsetAt(1_704_067_200, zone), offsetAt(1_719_792_000, zone));
}
