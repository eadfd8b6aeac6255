import {
  type FeelDate,
  type FeelDateTime,
  type DaysDuration,
  type MonthsDuration,
  FeelTime,
  type Zone,
} from '../values/temporal.ts';
import { offsetOf } from './instants.ts';
import { standardOffset } from './zones.ts';

// The texts that `string()` gives, as Camunda writes them; `parse.ts` reads every one of them back.

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0');
}

export function formatDate({ year, month, day }: FeelDate): string {
  return `${year < 0 ? '-' : ''}${pad(Math.abs(year), 4)}-${pad(month)}-${pad(day)}`;
}

function formatZone(zone: Zone | null): string {
  if (zone === null) return '';
  if (typeof zone === 'string') return `@${zone}`;
  if (zone === 0) return 'Z';
  const size = Math.abs(zone);
  const seconds = size % 60 ? `:${pad(size % 60)}` : '';
  return `${zone < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}:${pad(Math.floor(size / 60) % 60)}${seconds}`;
}

export function formatTime({ nanosecondOfDay, zone }: FeelTime): string {
  const seconds = Math.floor(nanosecondOfDay / 1e9);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => pad(part));
  return clock.join(':') + formatFraction(nanosecondOfDay % 1e9) + formatZone(zone);
}

function formatFraction(nanoseconds: number): string {
  return nanoseconds ? `.${pad(nanoseconds, 9).replace(/0+$/, '')}` : '';
}

export function formatDateTime({ date, time }: FeelDateTime): string {
  return `${formatDate(date)}T${formatTime(time)}`;
}

/** A time, or a date and time, with its offset where it has a named zone, which then stands in brackets (RFC 9557). */
export function isoText(value: FeelTime | FeelDateTime): string {
  const { zone } = value instanceof FeelTime ? value : value.time;
  if (typeof zone !== 'string') return value instanceof FeelTime ? formatTime(value) : formatDateTime(value);
  const offset = value instanceof FeelTime ? standardOffset(zone) : offsetOf(value);
  const time = value instanceof FeelTime ? value : value.time;
  const fixed = `${formatTime(new FeelTime(time.nanosecondOfDay, offset))}[${zone}]`;
  return value instanceof FeelTime ? fixed : `${formatDate(value.date)}T${fixed}`;
}

export function formatDays({ nanoseconds }: DaysDuration): string {
  if (nanoseconds === 0n) return 'P0D';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const total = size / 1_000_000_000n;
  const fraction = formatFraction(Number(size % 1_000_000_000n));
  const part = (value: bigint, unit: string): string => (value ? `${value}${unit}` : '');
  const seconds = total % 60n || fraction ? `${total % 60n}${fraction}S` : '';
  const clock = part((total / 3600n) % 24n, 'H') + part((total / 60n) % 60n, 'M') + seconds;
  return `${nanoseconds < 0n ? '-' : ''}P${part(total / 86_400n, 'D')}${clock && `T${clock}`}`;
}

export function formatMonths({ months }: MonthsDuration): string {
  if (months === 0) return 'P0Y';
  const size = Math.abs(months);
  const years = Math.floor(size / 12);
  return `${months < 0 ? '-' : ''}P${years ? `${years}Y` : ''}${size % 12 ? `${size % 12}M` : ''}`;
}
