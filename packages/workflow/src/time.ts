import { compile, epochNanoseconds, FeelDateTime, scopeOf, type Value } from '@kethub/feel';

/** A duration in units of the calendar, which are not always equally long. */
export interface Duration {
  readonly months: number;
  readonly milliseconds: number;
}

/** `start` in milliseconds; `times` -1: for ever. */
interface Cycle {
  readonly times: number;
  readonly start: number | null;
  readonly every: Duration;
}

const DAY = 86_400_000;
/** The last moment that JavaScript can represent. Later timers are never due. */
const END_OF_TIME = 8_640_000_000_000_000;

const dateAndTime = compile('date and time(text)');

/** The moment of a date and time of FEEL, in milliseconds; null for values of other types. */
export function momentOf(value: Value): number | null {
  return value instanceof FeelDateTime ? Number(epochNanoseconds(value) / 1_000_000n) : null;
}

/**
 * ISO 8601: a date, or date and time, with an offset, `Z`, or `[Area/City]` after an offset; without, it is UTC. And
 * `@Area/City` behind it, as FEEL writes the times of a zone.
 */
export function parseDate(text: string): number | null {
  if (text.includes('@')) return momentOf(dateAndTime.evaluate(scopeOf({ text })).value);
  const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?(?:\[[\w/+-]+\])?)?$/.exec(
    text,
  );
  if (form === null) return null;
  const [, date = '', minutes = '00:00', seconds = ':00', offset = 'Z'] = form;
  const milliseconds = seconds.replace(/(\.\d{3})\d+$/, '$1');
  const moment = Date.parse(`${date}T${minutes}${milliseconds}${offset}`);
  const day = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes the 31st of every month; written back it shows which are none.
  if (Number.isNaN(moment) || Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return null;
  return moment;
}

/** ISO 8601: `P1Y2M3W4DT5H6M7.5S`, negative with `-` before it. */
export function parseDuration(text: string): Duration | null {
  const form =
    /^(-?)P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/.exec(
      text,
    );
  if (form === null || /[PT]$/.test(text)) return null;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = form
    .slice(2)
    .map((digits) => Number(digits ?? 0));
  const sign = form[1] === '-' ? -1 : 1;
  return {
    // Adding 0 makes 0 of -0.
    months: sign * (years * 12 + months) + 0,
    milliseconds: sign * ((weeks * 7 + days) * DAY + hours * 3_600_000 + minutes * 60_000 + Math.round(seconds * 1000)),
  };
}

/** ISO 8601: `R/PT1H`, `R5/PT1H`, `R5/2030-01-01T00:00:00Z/P1D`. What is repeated takes a second or more. */
export function parseCycle(text: string): Cycle | null {
  const form = /^R(\d{0,9})\/(?:([^/]+)\/)?([^/]+)$/.exec(text);
  if (form === null) return null;
  const [, times = '', startText, everyText = ''] = form;
  const every = parseDuration(everyText);
  const start = startText === undefined ? null : parseDate(startText);
  if (every === null || (startText !== undefined && start === null)) return null;
  if (every.months < 0 || (every.months === 0 && every.milliseconds < 1000)) return null;
  return { times: times === '' ? -1 : Number(times), start, every };
}

/** Months are added in UTC, and end at the last day of a shorter month: one month after 31 January is 28 February. */
export function add(moment: number, { months, milliseconds }: Duration): number {
  return Math.min(addMonths(moment, months) + milliseconds, END_OF_TIME);
}

function addMonths(moment: number, months: number): number {
  if (months === 0) return moment;
  const date = new Date(moment);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  if (Number.isNaN(date.getTime())) return END_OF_TIME;
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
