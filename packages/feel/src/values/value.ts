import type { Decimal } from 'decimal.js';
import type { ExactNumber } from './exact.ts';
import type { FeelDate, FeelDateTime, DaysDuration, MonthsDuration, FeelTime } from './temporal.ts';
import type { Secret } from './secret.ts';

/**
 * A JSON value; a number that no double can represent is an `ExactNumber`. Objects may come from `JSON.parse`: only
 * their own members are ever read.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A number of FEEL. A double stands for the decimal number that it prints as, so 0.1 is one tenth. A `Decimal` appears
 * only where 15 digits are not enough, within an expression. An `ExactNumber` appears where such a number comes from
 * outside.
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

/**
 * A range. An end that was not given is undefined; one that is null was given as null, so that `(< 10)` and
 * `(null..10)` differ (DMN 1.5, 10.3.2.7). `(= 10)` and `(!= 10)` are ranges whose ends are both 10.
 */
export class FeelRange {
  readonly start: Value | undefined;
  readonly startIncluded: boolean;
  readonly end: Value | undefined;
  readonly endIncluded: boolean;
  readonly relation: 'within' | 'equal' | 'unequal';

  constructor(
    start: Value | undefined,
    startIncluded: boolean,
    end: Value | undefined,
    endIncluded: boolean,
    relation: 'within' | 'equal' | 'unequal' = 'within',
  ) {
    this.start = start;
    this.startIncluded = startIncluded;
    this.end = end;
    this.endIncluded = endIncluded;
    this.relation = relation;
  }
}

/** The operations of a function besides computing. */
export interface Call {
  /** Warns that the call failed, and gives the null that it stands for. */
  fail(message: string): null;
  /** Spends steps of the budget. Throws `FeelBudgetError` when there are none left. */
  spend(steps: number): void;
}

/**
 * A function of FEEL. `parameters` are its names for calls with named arguments. Arguments that a call leaves out
 * are null. A host passes its own functions to `evaluate` by name; what they throw is a failed call.
 */
export class FeelFunction {
  readonly parameters: readonly string[];
  readonly invoke: (args: readonly Value[], call: Call) => Value;

  constructor(parameters: readonly string[], invoke: (args: readonly Value[], call: Call) => Value) {
    this.parameters = parameters;
    this.invoke = invoke;
  }
}
