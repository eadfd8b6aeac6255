import { type BudgetPart, FeelBudgetError } from './errors.ts';

/** Limits of one evaluation. Beyond one, it ends with a `FeelBudgetError`. */
export interface Budget {
  /**
   * Steps of some 0.1 microseconds. An operator is about one, and so is an item that a loop or a function looks at, or
   * a hundred characters of text. Decimals, time zones and regular expressions cost more (`cost.ts`).
   */
  steps: number;
  /** Items of one list. */
  listLength: number;
  /** UTF-16 units of one text. */
  textLength: number;
}

/** About 0.1 seconds of computing; a workflow that needs more should call a service. */
export const DEFAULT_BUDGET: Budget = { steps: 1_000_000, listLength: 100_000, textLength: 16_000_000 };

/** Items that are only looked at, one like the other, per step. */
const LOOKED_AT_PER_STEP = 8;

const UNITS_PER_STEP = 100;

/** Counts the use of an evaluation. Every method throws `FeelBudgetError` beyond the budget. */
export class Meter {
  #steps: number;
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#steps = budget.steps;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0)
      exceed(
        'steps',
        `more than ${this.#budget.steps} steps, about a tenth of a second of computing. Have a service do it`,
      );
  }

  /** Call it before a function reads a list of this many items, and makes none. */
  look(length: number): void {
    this.spend(Math.ceil(length / LOOKED_AT_PER_STEP));
  }

  /** Call it before a list of this many items is made. */
  list(length: number): void {
    this.limitList(length);
    this.spend(length);
  }

  limitList(length: number): void {
    if (length > this.#budget.listLength)
      exceed('listLength', `to make a list of more than ${this.#budget.listLength} items. Have a service do it`);
  }

  /** Call it before a text of this many units is made or searched. */
  text(length: number): void {
    this.limitText(length);
    this.spend(Math.ceil(length / UNITS_PER_STEP));
  }

  /** Call it before a function reads each unit of a text, `perStep` units in a step. */
  scan(length: number, perStep: number): void {
    this.limitText(length);
    this.spend(Math.ceil(length / perStep));
  }

  limitText(length: number): void {
    if (length > this.#budget.textLength)
      exceed('textLength', `a text of more than ${this.#budget.textLength} characters. Have a service do it`);
  }
}

function exceed(part: BudgetPart, what: string): never {
  throw new FeelBudgetError(part, `The expression needs ${what}.`);
}
