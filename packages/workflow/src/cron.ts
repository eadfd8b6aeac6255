const DAY = 86_400_000;
/** Days that are searched. 29 February on a given day of the week comes after 40 years at the latest. */
const MOST_DAYS = 41 * 366;
const LONGEST = 200;

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  readonly from: number;
  readonly to: number;
  /** Names of values, the first of `from`. */
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { from: 0, to: 59 },
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: MONTHS },
  { from: 0, to: 7, names: DAYS },
];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

/** The values of second, minute, hour, day of the month, month and day of the week, ascending. */
type Cron = readonly [number[], number[], number[], number[], number[], number[]];

/**
 * The first moment of a cron expression after `after`, in milliseconds, in UTC. The expression has six fields as
 * Camunda and Spring write them, `0 0 9-17 * * MON-FRI`, or is a macro such as `@daily`.
 *
 * Null: the text is no cron expression (`L`, `W` and `#` are not supported), or it names no day.
 */
export function nextOfCron(text: string, after: number): number | null {
  const cron = parseCron(text);
  if (cron === null) return null;
  const [seconds, minutes, hours, days, months, weekdays] = cron;
  const begin = Math.floor(after / 1000) * 1000 + 1000;
  const today = Math.floor(begin / DAY) * DAY;
  for (let passed = 0, day = today; passed < MOST_DAYS; passed++, day += DAY) {
    const date = new Date(day);
    if (Number.isNaN(date.getTime())) return null;
    if (!days.includes(date.getUTCDate()) || !months.includes(date.getUTCMonth() + 1)) continue;
    if (!weekdays.includes(date.getUTCDay())) continue;
    const time = timeFrom([hours, minutes, seconds], day === today ? begin - today : 0);
    if (time !== null) return day + time;
  }
  return null;
}

/** The first time of the day, in milliseconds, at or after `from`. */
function timeFrom([hours, minutes, seconds]: readonly [number[], number[], number[]], from: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * 3_600_000 <= from) continue;
    for (const minute of minutes) {
      if (hour * 3_600_000 + (minute + 1) * 60_000 <= from) continue;
      for (const second of seconds) {
        const time = hour * 3_600_000 + minute * 60_000 + second * 1000;
        if (time >= from) return time;
      }
    }
  }
  return null;
}

function parseCron(text: string): Cron | null {
  if (text.length > LONGEST) return null;
  const written = (Object.hasOwn(macros, text) ? (macros[text] ?? '') : text).trim().split(/\s+/);
  if (written.length !== fields.length) return null;
  const values = fields.map((field, index) => valuesOf(written[index] ?? '', field));
  if (values.some((one) => one === null)) return null;
  const [seconds, minutes, hours, days, months, weekdays] = values as number[][];
  if (!seconds || !minutes || !hours || !days || !months || !weekdays) return null;
  // 7 is Sunday as well.
  return [seconds, minutes, hours, days, months, weekdays.map((day) => day % 7)];
}

function valuesOf(text: string, field: Field): number[] | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, more] = part.split('/');
    const ends = rangeOf(range, field, step !== undefined);
    const by = step === undefined ? 1 : /^\d{1,2}$/.test(step) ? Number(step) : 0;
    if (ends === null || by < 1 || more !== undefined) return null;
    for (let value = ends[0]; value <= ends[1]; value += by) values.add(value);
  }
  return [...values].toSorted((left, right) => left - right);
}

/** A value with a step goes on to the end. */
function rangeOf(text: string, { from, to, names = [] }: Field, hasStep: boolean): readonly [number, number] | null {
  if (text === '*' || (text === '?' && !hasStep)) return [from, to];
  const [first = '', last, more] = text.split('-').map((one) => valueOf(one));
  if (typeof first !== 'number' || last === null || more !== undefined) return null;
  const end = last ?? (hasStep ? to : first);
  return first >= from && end <= to && first <= end ? [first, end] : null;

  function valueOf(one: string): number | null {
    const named = names.indexOf(one.toUpperCase());
    if (named !== -1) return named + from;
    return /^\d{1,2}$/.test(one) ? Number(one) : null;
  }
}
