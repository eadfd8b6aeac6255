import type { Meter } from '../budget.ts';
import { unitsPerStep } from '../cost.ts';
import { formatDate, formatDateTime, formatDays, formatMonths, formatTime } from '../temporal/format.ts';
import type { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from './temporal.ts';
import type { FeelFunction, FeelRange, Context, FeelNumber, Value } from './value.ts';
import { kindOf } from './kind.ts';
import { formatNumber, isNumber } from './number.ts';

/** A value that is neither list nor context as text, or undefined. Text is not quoted. */
export function scalarText(value: Value): string | undefined {
  switch (kindOf(value)) {
    case 'null':
      return 'null';
    case 'string':
      return value as string;
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'number':
      return formatNumber(value as FeelNumber);
    case 'date':
      return formatDate(value as FeelDate);
    case 'time':
      return formatTime(value as FeelTime);
    case 'date and time':
      return formatDateTime(value as FeelDateTime);
    case 'days and time duration':
      return formatDays(value as DaysDuration);
    case 'years and months duration':
      return formatMonths(value as MonthsDuration);
    case 'secret':
      return '[redacted]';
    case 'function':
      return `function(${(value as FeelFunction).parameters.join(', ')})`;
    default:
      return undefined;
  }
}

/** The text that `string()` gives: texts within lists and contexts are quoted (as Camunda does). */
export function textOf(value: Value, meter: Meter): string {
  if (typeof value === 'string') return value;
  const pieces: string[] = [];
  let length = 0;
  writeTo((piece) => {
    length += piece.length;
    meter.spend(1 + Math.ceil(piece.length / (isNumber(value) ? unitsPerStep.digits : 1000)));
    meter.limitText(length);
    pieces.push(piece);
  }, value);
  meter.text(length);
  return pieces.join('');
}

function writeTo(write: (piece: string) => void, value: Value): void {
  switch (kindOf(value)) {
    case 'string':
      return write(`"${value as string}"`);
    case 'list':
      return writeAll(write, '[', value as readonly Value[], (item) => writeTo(write, item), ']');
    case 'context': {
      const context = value as Context;
      const writeEntry = (name: string): void => {
        write(`${name}:`);
        writeTo(write, context[name] ?? null);
      };
      return writeAll(write, '{', Object.keys(context), writeEntry, '}');
    }
    case 'range':
      return writeRange(write, value as FeelRange);
    default:
      return write(scalarText(value) ?? '');
  }
}

function writeAll<T>(
  write: (piece: string) => void,
  open: string,
  items: readonly T[],
  writeItem: (item: T) => void,
  close: string,
): void {
  write(open);
  items.forEach((item, index) => {
    if (index > 0) write(', ');
    writeItem(item);
  });
  write(close);
}

function writeRange(write: (piece: string) => void, range: FeelRange): void {
  if (range.relation !== 'within' || range.start === undefined || range.end === undefined) {
    write(`(${relationOf(range)} `);
    writeTo(write, range.start ?? range.end ?? null);
    return write(')');
  }
  write(range.startIncluded ? '[' : '(');
  writeTo(write, range.start);
  write('..');
  writeTo(write, range.end);
  return write(range.endIncluded ? ']' : ')');
}

function relationOf(range: FeelRange): string {
  if (range.relation !== 'within') return range.relation === 'equal' ? '=' : '!=';
  if (range.start === undefined) return range.endIncluded ? '<=' : '<';
  return range.startIncluded ? '>=' : '>';
}

/** A value in a message: short, and without secrets. */
export function briefly(value: Value): string {
  const kind = kindOf(value);
  if (kind === 'list' || kind === 'context' || kind === 'range') return `a ${kind}`;
  const text = scalarText(value) ?? kind;
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return kind === 'string' ? `"${short}"` : short;
}
