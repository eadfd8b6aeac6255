import { FeelBudgetError } from '../errors.ts';
import type { Parameter } from '../syntax/ast.ts';
import { FeelFunction } from '../values/function.ts';
import { isList } from '../values/kind.ts';
import { briefly } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import type { Closure, Compile, NodeOf } from './closure.ts';
import { Binding } from './env.ts';
import type { Env } from './env.ts';
import { CallSite } from './call-site.ts';
import { conforms } from './types.ts';
import { Builtin } from '../builtins/builtin.ts';

/** Functions that ask whether there is a value: nothing is wrong if there is none. */
const ASKING: ReadonlySet<string> = new Set(['is defined', 'get or else']);

/** `f(a, b)`, `f(first: a, second: b)` and `context.f(a)`. */
export function compileCall(node: NodeOf<'call'>, compile: Compile): Closure {
  const { callee, names } = node;
  const args = node.args.map(compile);
  const name = callee.kind === 'name' || callee.kind === 'path' ? callee.name : 'The function';
  const find = callee.kind === 'name' ? (env: Env) => findByName(callee.name, env) : compile(callee);
  const asks = callee.kind === 'name' && ASKING.has(name);
  return (env) => {
    const target = find(env);
    const { length: warned } = env.run.warnings;
    const values = args.map((arg) => arg(env));
    if (asks && env.run.warnings.length > warned) env.run.forgive(warned);
    if (target instanceof FeelFunction) return invoke(target, values, names, new CallSite(env.run, name, node));
    const message = callee.kind === 'name' ? `There is no function "${name}".` : `${briefly(target)} is no function.`;
    return env.run.warn('NO_FUNCTION_FOUND', message, node);
  };
}

/** A function in a variable comes first; a variable that is none does not hide a function. */
function findByName(name: string, env: Env): Value {
  const bound = env.find(name);
  return bound instanceof FeelFunction ? bound : (env.run.findFunction(name) ?? null);
}

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

function describe(parameters: readonly string[]): string {
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

/** `function(a, b) …`; it sees the names around it. */
export function compileFunction(node: NodeOf<'function'>, compile: Compile): Closure {
  const { parameters } = node;
  const body = compile(node.body);
  const names = parameters.map((parameter) => parameter.name);
  return (env) =>
    new FeelFunction(names, (args, call) => {
      if (args.length < names.length) return call.fail(`expects ${describe(names)}.`);
      env.run.meter.spend(node.body.size);
      const inner = bind(parameters, args, env);
      return inner ? env.run.enter(() => body(inner)) : call.fail('an argument has the wrong type.');
    });
}

/** Null if an argument does not conform to the type of its parameter. */
function bind(parameters: readonly Parameter[], args: readonly Value[], env: Env): Env | null {
  let inner = env;
  for (const [index, { name, type }] of parameters.entries()) {
    let value = args[index] ?? null;
    if (type && conforms(value, type, env.run.meter) === false) {
      const [only] = isList(value) && value.length === 1 ? value : [];
      if (only === undefined || conforms(only, type, env.run.meter) !== true) return null;
      value = only;
    }
    inner = new Binding(inner, name, value);
  }
  return inner;
}
