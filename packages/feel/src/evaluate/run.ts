import { DEFAULT_BUDGET, Meter, type Budget } from '../budget.ts';
import { FeelBudgetError, type Warning, type WarningCode } from '../errors.ts';
import type { Scope } from '../scope.ts';
import { positionOf } from '../syntax/source.ts';
import type { FeelFunction, Value } from '../values/value.ts';

/** The moment and the time zone of `now()` and `today()`. */
interface Instant {
  epochMilliseconds: number;
  /** A name of the IANA database, such as `Europe/Berlin` or `Etc/UTC`. */
  timeZone: string;
}

/**
 * Options of an evaluation. Without `now`, `random` or `uuid` the functions that need them are null and warn, so that
 * an expression is pure unless the host wants otherwise.
 */
export interface EvaluateOptions {
  now?: () => Instant;
  /** Missing members are those of `DEFAULT_BUDGET`. */
  budget?: Partial<Budget>;
  /** Functions of the host by name, such as `secret_value`. A function in a variable of the same name comes first. */
  functions?: ReadonlyMap<string, FeelFunction>;
  /** A number from 0 up to, but not including, 1. */
  random?: () => number;
  uuid?: () => string;
}

/** The span of a node in the source, for warnings. */
export interface Span {
  from: number;
  to: number;
}

const NOT_FOUND: ReadonlySet<WarningCode> = new Set([
  'NO_VARIABLE_FOUND',
  'NO_CONTEXT_ENTRY_FOUND',
  'NO_PROPERTY_FOUND',
]);
const DEEPEST_CALLS = 256;
const MOST_WARNINGS = 100;

/** The names that are bound where a node is evaluated, innermost first. */
export interface Env {
  readonly run: Run;
  find(name: string): Value | undefined;
}

/** One evaluation: its use of the budget, its warnings, and the outermost names. */
export class Run implements Env {
  readonly scope: Scope;
  readonly options: EvaluateOptions;
  readonly source: string;
  readonly warnings: Warning[] = [];
  #meter: Meter | undefined;
  #calls = 0;
  #instant: Instant | undefined;

  constructor(source: string, scope: Scope, options: EvaluateOptions) {
    this.source = source;
    this.scope = scope;
    this.options = options;
  }

  get run(): Run {
    return this;
  }

  get meter(): Meter {
    this.#meter ??= new Meter({ ...DEFAULT_BUDGET, ...this.options.budget });
    return this.#meter;
  }

  /** One moment for the whole evaluation. */
  get instant(): Instant | undefined {
    this.#instant ??= this.options.now?.();
    return this.#instant;
  }

  find(name: string): Value | undefined {
    return this.scope.lookup(name);
  }

  /** Adds a warning, and returns null for the value of the node. Beyond a hundred, warnings are dropped. */
  warn(code: WarningCode, message: string, { from, to }: Span): null {
    if (this.warnings.length < MOST_WARNINGS) {
      this.warnings.push({ code, message, position: positionOf(this.source, from, to) });
    }
    return null;
  }

  /**
   * Removes the warnings of missing values since there were `since` warnings: the expression asks whether these values
   * are there.
   */
  forgive(since: number): void {
    const kept = this.warnings.splice(since).filter(({ code }) => !NOT_FOUND.has(code));
    this.warnings.push(...kept);
  }

  /** Runs the body of a function that the expression defines. */
  enter<T>(body: () => T): T {
    if (++this.#calls > DEEPEST_CALLS) {
      throw new FeelBudgetError('depth', `Functions call each other more than ${DEEPEST_CALLS} deep.`);
    }
    try {
      return body();
    } finally {
      this.#calls--;
    }
  }
}
