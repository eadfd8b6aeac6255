import { type FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime, type Zone } from '../values/temporal.ts';
import { dateOfDay, dayNumber, validDate } from './calendar.ts';
import { isZoneName, MAX_OFFSET } from './zones.ts';

// The lexical forms of XML Schema part 2, with the zones of DMN (`@Europe/Berlin`, 10.3.4.1). Camunda takes more, and
// so does this parser: `+01:00[Europe/Berlin]`, times without seconds, a leading T.

const DATE = /^(-?(?:[1-9]\d{4,8}|\d{4}))-(\d\d)-(\d\d)$/;
const TIME = /^T?(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)?(?:\[([^\]]+)\]|@(.+))?$/;
const MONTHS = /^(-)?P(?:(\d+)Y)?(?:(\d+)M)?$/;
const DAYS = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d*))?S)?)?$/;

/** Longest text of a temporal value; numbers in durations stay small enough for every calculation. */
const LONGEST = 100;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
export const NANOSECONDS_PER_DAY = 86_400 * NANOSECONDS_PER_SECOND;

type Temporal = FeelDate | FeelTime | FeelDateTime | DaysDuration | MonthsDuration;

export function parseDate(text: string): FeelDate | null {
  const match = DATE.exec(text);
  return match ? validDate(Number(match[1]), Number(match[2]), Number(match[3])) : null;
}

export function parseTime(text: string): FeelTime | null {
  return parseTimeOfDay(text)?.time ?? null;
}

/** `endOfDay` is true for 24:00:00, which is midnight of the next day. */
function parseTimeOfDay(text: string): { time: FeelTime; endOfDay: boolean } | null {
  const match = text.length <= LONGEST ? TIME.exec(text) : null;
  if (!match) return null;
  const [, hour, minute, second = '0', fraction = '', offset, bracketed, named] = match;
  const nanosecond = validTime(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(9, '0')));
  const zone = parseZone(offset, bracketed, named);
  if (nanosecond === null || zone === undefined) return null;
  return { time: new FeelTime(nanosecond % NANOSECONDS_PER_DAY, zone), endOfDay: nanosecond === NANOSECONDS_PER_DAY };
}

/** Nanoseconds since midnight, or null. 24:00:00 is allowed. */
export function validTime(hour: number, minute: number, second: number, nanosecond: number): number | null {
  if (![hour, minute, second, nanosecond].every(Number.isInteger)) return null;
  if (hour < 0 || minute < 0 || minute > 59 || second < 0 || second > 59) return null;
  const total = (hour * 3600 + minute * 60 + second) * NANOSECONDS_PER_SECOND + nanosecond;
  return total <= NANOSECONDS_PER_DAY ? total : null;
}

/** Undefined if it is no zone. A named zone in brackets may follow an offset, one after `@` may not. */
function parseZone(offset?: string, bracketed?: string, named?: string): Zone | null | undefined {
  const name = bracketed ?? named;
  if (name !== undefined) {
    if ((named !== undefined) === (offset !== undefined)) return undefined;
    return isZoneName(name) ? name : undefined;
  }
  return offset === undefined ? null : parseOffset(offset);
}

function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const [hours, minutes, seconds = 0] = text.slice(1).split(':').map(Number) as [number, number, number?];
  const size = hours * 3600 + minutes * 60 + seconds;
  if (minutes > 59 || seconds > 59 || size > MAX_OFFSET) return undefined;
  return text.startsWith('-') && size > 0 ? -size : size;
}

/** A date alone is midnight of that day. */
export function parseDateTime(text: string): FeelDateTime | null {
  const at = text.indexOf('T');
  if (at === -1) {
    const date = parseDate(text);
    return date && new FeelDateTime(date, new FeelTime(0, null));
  }
  const date = parseDate(text.slice(0, at));
  const time = parseTimeOfDay(text.slice(at));
  if (!date || !time) return null;
  const day = time.endOfDay ? dateOfDay(dayNumber(date) + 1) : date;
  return day && new FeelDateTime(day, time.time);
}

export function parseDuration(text: string): DaysDuration | MonthsDuration | null {
  if (text.length > LONGEST || !/\d[A-Z]$/.test(text.replace(/\.(?=S$)/, ''))) return null;
  return parseMonths(text) ?? parseDays(text);
}

function parseMonths(text: string): MonthsDuration | null {
  const match = MONTHS.exec(text);
  if (!match) return null;
  const months = Number(match[2] ?? 0) * 12 + Number(match[3] ?? 0);
  if (!Number.isSafeInteger(months)) return null;
  return new MonthsDuration(match[1] && months ? -months : months);
}

function parseDays(text: string): DaysDuration | null {
  const match = DAYS.exec(text);
  if (!match || text.endsWith('T')) return null;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const whole = BigInt(days) * 86_400n + BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds);
  const nanoseconds = whole * BigInt(NANOSECONDS_PER_SECOND) + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new DaysDuration(sign ? -nanoseconds : nanoseconds);
}

/** Reads the literal `@"…"`. */
export function parseTemporal(text: string): Temporal | null {
  return parseDate(text) ?? parseTime(text) ?? parseDuration(text) ?? (text.includes('T') ? parseDateTime(text) : null);
}
