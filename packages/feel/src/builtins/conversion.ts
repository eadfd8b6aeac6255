import { cost, unitsPerStep } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import { toJson } from '../json.ts';
import { monthsBetween, validDate } from '../temporal/calendar.ts';
import { atEpoch, epochNanoseconds } from '../temporal/instants.ts';
import { parseDate, parseDateTime, parseDuration, parseTemporal, parseTime, validTime } from '../temporal/parse.ts';
import { isZoneName, MAX_OFFSET } from '../temporal/zones.ts';
import {
  type FeelDate,
  FeelDateTime,
  type DaysDuration,
  MonthsDuration,
  FeelTime,
  type Zone,
} from '../values/temporal.ts';
import { parseNumber, toDecimal, toDouble, toInteger } from '../values/number.ts';
import { textOf } from '../values/text.ts';
import type { FeelNumber, Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const LONGEST_NUMBER = 10_000;

/** Texts that are far too long for what they should be are refused after a look at their length or their beginning. */
function parses(call: CallSite, text: string): void {
  call.spend(cost.parse + Math.ceil(Math.min(text.length, LONGEST_NUMBER) / unitsPerStep.digits));
}

function readNumber(call: CallSite, text: string): Value {
  parses(call, text);
  const number = text.length <= LONGEST_NUMBER && NUMBER.test(text) ? parseNumber(text) : null;
  return number ?? call.fail('the text is no number.');
}

/**
 * The grouping separator is a space, a comma or a point, the decimal separator one of the others (DMN 1.5, table 75).
 */
function readGrouped(call: CallSite, from: string, grouping: string | null, decimal: string | null = null): Value {
  if (grouping !== null && ![' ', ',', '.'].includes(grouping))
    return call.fail('the grouping separator must be " ", "," or ".".');
  if (decimal !== null && ![',', '.'].includes(decimal)) return call.fail('the decimal separator must be "," or ".".');
  if (grouping !== null && grouping === decimal) return call.fail('the separators must differ.');
  call.meter.text(from.length);
  const whole = grouping === null ? from : from.replaceAll(grouping, '');
  return readNumber(
    call,
    decimal === null || decimal === '.' ? whole : whole.replaceAll('.', '?').replaceAll(decimal, '.'),
  );
}

function orFail<T extends Value>(call: CallSite, value: T | null, what: string): Value {
  return value ?? call.fail(`this is no ${what}.`);
}

function read<T extends Value>(call: CallSite, text: string, parse: (text: string) => T | null, what: string): Value {
  parses(call, text);
  return orFail(call, text.length > LONGEST_NUMBER ? null : parse(text), what);
}

function dateOf(call: CallSite, year: FeelNumber, month: FeelNumber, day: FeelNumber): Value {
  return orFail(call, validDate(toDouble(year), toDouble(month), toDouble(day)), 'date');
}

function timeOf(
  call: CallSite,
  hour: FeelNumber,
  minute: FeelNumber,
  second: FeelNumber,
  offset: DaysDuration | null = null,
): Value {
  const seconds = toDecimal(second);
  const nanosecond = seconds.minus(seconds.trunc()).times(1e9).trunc().toNumber();
  const at = validTime(toInteger(hour) ?? -1, toInteger(minute) ?? -1, seconds.trunc().toNumber(), nanosecond);
  const zone = offset && Number(offset.nanoseconds / 1_000_000_000n);
  if (at === null || at === 86_400e9 || (zone !== null && Math.abs(zone) > MAX_OFFSET))
    return call.fail('this is no time.');
  return new FeelTime(at, zone);
}

/** `Z`, an offset or a name. */
function zoneOf(text: string): Zone | null {
  if (isZoneName(text)) return text;
  return parseTime(`00:00:00${text.startsWith('@') ? '' : text}`)?.zone ?? null;
}

/** The same moment elsewhere; a date and time without a zone is taken for one there. */
function inZone(call: CallSite, date: FeelDateTime, timezone: string): Value {
  call.spend(cost.zone);
  const zone = zoneOf(timezone);
  if (zone === null) return call.fail('this is no time zone.');
  if (date.time.zone === null) return new FeelDateTime(date.date, new FeelTime(date.time.nanosecondOfDay, zone));
  return orFail(call, atEpoch(epochNanoseconds(date), zone), 'date and time');
}

function between(_call: CallSite, from: FeelDate, to: FeelDate): Value {
  return new MonthsDuration(monthsBetween(from, to) || 0);
}

function fromJson(call: CallSite, text: string): Value {
  call.meter.scan(text.length, unitsPerStep.read);
  try {
    return JSON.parse(text) as Value;
  } catch {
    return call.fail('the text is not JSON.');
  }
}

function writeJson(call: CallSite, value: Value): Value {
  const text = JSON.stringify(toJson(value, call.meter));
  call.meter.text(text.length);
  return text;
}

export const conversion: readonly (readonly [string, Builtin])[] = [
  [
    'string',
    new Builtin([signature(['from: any'], (call, from) => (from === null ? null : textOf(from, call.meter)))]),
  ],
  [
    'number',
    new Builtin([
      signature(['from: string'], readNumber),
      signature(['from: string', 'grouping separator: string or null'], (call, from, grouping) =>
        readGrouped(call, from, grouping),
      ),
      signature(
        ['from: string', 'grouping separator: string or null', 'decimal separator: string or null'],
        readGrouped,
      ),
    ]),
  ],
  [
    'date',
    new Builtin([
      signature(['from: string'], (call, from) => read(call, from, parseDate, 'date')),
      signature(['from: day'], (_call, from) => from),
      signature(['year: number', 'month: number', 'day: number'], dateOf),
    ]),
  ],
  [
    'time',
    new Builtin([
      signature(['from: string'], (call, from) => read(call, from, parseTime, 'time')),
      signature(['from: time'], (_call, from) => from),
      signature(['from: date and time'], (_call, from) => from.time),
      signature(['hour: number', 'minute: number', 'second: number'], timeOf),
      signature(['hour: number', 'minute: number', 'second: number', 'offset: days and time duration or null'], timeOf),
    ]),
  ],
  [
    'date and time',
    new Builtin([
      signature(['from: string'], (call, from) => read(call, from, parseDateTime, 'date and time')),
      signature(['from: date and time'], (_call, from) => from),
      signature(['date: day', 'time: time'], (_call, date, time) => new FeelDateTime(date, time)),
      signature(['date: date and time', 'timezone: string'], inZone),
    ]),
  ],
  [
    'duration',
    new Builtin([
      signature(['from: string'], (call, from) => read(call, from, parseDuration, 'duration')),
      signature(['from: duration'], (_call, from) => from),
    ]),
  ],
  ['years and months duration', new Builtin([signature(['from: day', 'to: day'], between)])],
  [
    '@',
    new Builtin([
      signature(['from: string'], (call, from) => read(call, from, parseTemporal, 'date, time or duration')),
    ]),
  ],
  ['from json', new Builtin([signature(['value: string'], fromJson), signature(['json: string'], fromJson)])],
  ['to json', new Builtin([signature(['value: any'], writeJson)])],
];
