import type { Value } from './value.ts';

/** What a function may do besides computing. */
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
