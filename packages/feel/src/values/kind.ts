import { FeelDate } from './date.ts';
import { FeelDateTime } from './date-time.ts';
import { DaysDuration, MonthsDuration } from './duration.ts';
import { FeelFunction } from './function.ts';
import { Decimal } from './number.ts';
import { FeelRange } from './range.ts';
import { Secret } from './secret.ts';
import { FeelTime } from './time.ts';
import type { Context, Value } from './value.ts';

/** The kinds of values, by the names that FEEL gives their types. */
export type Kind =
  | 'null'
  | 'boolean'
  | 'number'
  | 'string'
  | 'date'
  | 'time'
  | 'date and time'
  | 'days and time duration'
  | 'years and months duration'
  | 'range'
  | 'function'
  | 'secret'
  | 'list'
  | 'context';

const CLASSES: readonly (readonly [abstract new (...args: never[]) => unknown, Kind])[] = [
  [FeelDate, 'date'],
  [FeelTime, 'time'],
  [FeelDateTime, 'date and time'],
  [DaysDuration, 'days and time duration'],
  [MonthsDuration, 'years and months duration'],
  [FeelRange, 'range'],
  [FeelFunction, 'function'],
  [Secret, 'secret'],
];

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return value === null ? 'null' : kindOfObject(value);
  }
}

function kindOfObject(value: object): Kind {
  if (Array.isArray(value)) return 'list';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return 'context';
  if (Decimal.isDecimal(value)) return 'number';
  return CLASSES.find(([type]) => value instanceof type)?.[1] ?? 'context';
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isContext(value: Value): value is Context {
  return typeof value === 'object' && value !== null && kindOf(value) === 'context';
}

/** A context without prototype, to be filled before anybody sees it. */
export function newContext(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** The value of an own member, or undefined. */
export function member(context: Context, name: string): Value | undefined {
  return Object.hasOwn(context, name) ? context[name] : undefined;
}
