import type { CallSite } from '../evaluate/call-site.ts';
import { dayOfWeek, dayOfYear, daysInMonth, weekOfYear } from '../temporal/calendar.ts';
import { atEpoch } from '../temporal/instants.ts';
import { isZoneName } from '../temporal/zones.ts';
import { FeelDate, type FeelDateTime } from '../values/temporal.ts';
import type { Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function ofDay(run: (date: FeelDate) => Value): Builtin {
  return new Builtin([signature(['date: day'], (_call, date) => run(date))]);
}

function now(call: CallSite): FeelDateTime | null {
  const { instant } = call.run;
  if (!instant || !isZoneName(instant.timeZone)) return call.fail('there is no clock here.');
  return atEpoch(BigInt(Math.trunc(instant.epochMilliseconds)) * 1_000_000n, instant.timeZone);
}

export const temporal: readonly (readonly [string, Builtin])[] = [
  ['now', new Builtin([signature([], now)])],
  ['today', new Builtin([signature([], (call) => now(call)?.date ?? null)])],
  ['day of week', ofDay((date) => DAYS[dayOfWeek(date) - 1] ?? null)],
  ['day of year', ofDay(dayOfYear)],
  ['week of year', ofDay(weekOfYear)],
  ['month of year', ofDay((date) => MONTHS[date.month - 1] ?? null)],
  ['last day of month', ofDay((date) => new FeelDate(date.year, date.month, daysInMonth(date.year, date.month)))],
];
