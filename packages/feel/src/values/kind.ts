import { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from './temporal.ts';
import { ExactNumber } from './exact.ts';
import { FeelFunction, FeelRange, type Context, type Value } from './value.ts';
import { Decimal } from './number.ts';
import { Secret } from './secret.ts';

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

const KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  [null, 'context'],
  [Object.prototype, 'context'],
  [Array.prototype, 'list'],
  [Decimal.prototype, 'number'],
  [ExactNumber.prototype, 'number'],
  [FeelDate.prototype, 'date'],
  [FeelTime.prototype, 'time'],
  [FeelDateTime.prototype, 'date and time'],
  [DaysDuration.prototype, 'days and time duration'],
  [MonthsDuration.prototype, 'years and months duration'],
  [FeelRange.prototype, 'range'],
  [FeelFunction.prototype, 'function'],
  [Secret.prototype, 'secret'],
]);

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

/** Objects of other classes are contexts of their own members. */
function kindOfObject(value: object): Kind {
  const kind = KINDS.get(Object.getPrototypeOf(value));
  if (kind !== undefined) return kind;
  if (Array.isArray(value)) return 'list';
  return value instanceof FeelFunction ? 'function' : 'context';
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
