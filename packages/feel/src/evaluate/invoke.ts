import { Builtin } from '../builtins/builtin.ts';
import { FeelBudgetError } from '../errors.ts';
import type { FeelFunction, Value } from '../values/value.ts';
import type { CallSite } from './call-site.ts';

/** Calls a function with arguments in their order, or by the names of its parameters. */
export function invoke(
  target: FeelFunction,
  values: readonly Value[],
  names: readonly string[] | null,
  call: CallSite,
): Value {
  if (target instanceof Builtin) return target.call(values, names, call);
  const args = names ? inOrder(target, values, names) : values;
  if (!args || args.length > target.parameters.length) {
    return call.fail(`expects ${describe(target.parameters)}.`);
  }
  try {
    return target.invoke(args, call);
  } catch (error) {
    if (error instanceof FeelBudgetError || isOverflow(error)) throw error;
    return call.fail(error instanceof Error ? error.message : 'it failed.');
  }
}

/** The arguments of a function, for a warning. */
export function describe(parameters: readonly string[]): string {
  return parameters.length === 0 ? 'no arguments' : `the arguments ${parameters.join(', ')}`;
}

function inOrder(target: FeelFunction, values: readonly Value[], names: readonly string[]): Value[] | null {
  if (names.some((name) => !target.parameters.includes(name))) return null;
  return target.parameters.map((name) => values[names.lastIndexOf(name)] ?? null);
}

/** A stack overflow: expressions of allowed depth in functions of allowed depth can still be too much together. */
export function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
