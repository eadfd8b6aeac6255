import type { Warning } from './errors.ts';
import { FeelSyntaxError } from './errors.ts';
import type { Scope } from './scope.ts';
import type { FeelFunction } from './values/function.ts';
import type { Value } from './values/value.ts';

/** What one evaluation may use. */
export interface Budget {
  /** Steps: about one per operator, item of a loop, and hundred characters of text. */
  steps: number;
  /** Items of one list. */
  listLength: number;
  /** UTF-16 units of one text. */
  textLength: number;
}

/** The moment and the time zone that `now()` and `today()` tell. */
export interface Instant {
  epochMilliseconds: number;
  /** A name of the IANA database, such as `Europe/Berlin` or `Etc/UTC`. */
  timeZone: string;
}

/** What an evaluation is given besides its variables. Without `now`, `random` or `uuid` their functions are null and warn. */
export interface EvaluateOptions {
  now?: () => Instant;
  budget?: Partial<Budget>;
  /** Functions of the host by name, such as `secret_value`. Variables of the same name come first. */
  functions?: ReadonlyMap<string, FeelFunction>;
  /** A number from 0 up to, but not including, 1. */
  random?: () => number;
  uuid?: () => string;
}

export interface Evaluation {
  value: Value;
  warnings: readonly Warning[];
}

export interface CompiledExpression {
  readonly source: string;
  /** Names that are read from the scope, without those that the expression itself binds. */
  readonly variables: readonly string[];
  /** Functions that are called by name, builtin or not. */
  readonly calls: readonly string[];
  /** The value and what was noticed on the way. Throws nothing but `FeelBudgetError`. */
  evaluate(scope: Scope, options?: EvaluateOptions): Evaluation;
}

/** Compiles an expression, without the leading `=` of BPMN. Throws `FeelSyntaxError`. */
export function compile(_source: string): CompiledExpression {
  throw new FeelSyntaxError('Expressions cannot be evaluated yet.', { from: 0, to: 0, line: 1, column: 1 });
}
