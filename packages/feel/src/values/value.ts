import type { Decimal } from 'decimal.js';
import type { ExactNumber } from './exact.ts';
import type { FeelDate } from './date.ts';
import type { FeelDateTime } from './date-time.ts';
import type { DaysDuration, MonthsDuration } from './duration.ts';
import type { FeelFunction } from './function.ts';
import type { FeelRange } from './range.ts';
import type { Secret } from './secret.ts';
import type { FeelTime } from './time.ts';

/** What JSON can hold; a number that no double holds is an `ExactNumber`. Objects may come from `JSON.parse`: only their own members are ever read. */
export type JsonValue =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A number of FEEL. A double stands for the decimal number that it prints as, so 0.1 is one tenth; a `Decimal`
 * appears only where 15 digits are not enough, within an expression, and an `ExactNumber` where such a number comes from outside.
 */
export type FeelNumber = number | Decimal | ExactNumber;

/** A context. Those that FEEL makes have no prototype; members are read only if they are the object's own. */
export interface Context {
  readonly [name: string]: Value;
}

/** A value of FEEL. Every JSON value is one. Values are never changed. */
export type Value =
  | null
  | boolean
  | FeelNumber
  | string
  | FeelDate
  | FeelTime
  | FeelDateTime
  | DaysDuration
  | MonthsDuration
  | FeelRange
  | FeelFunction
  | Secret
  | readonly Value[]
  | Context;
