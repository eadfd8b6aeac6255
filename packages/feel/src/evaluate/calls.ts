import type { Parameter } from '../syntax/ast.ts';
import { FeelFunction, type Value } from '../values/value.ts';
import { isList } from '../values/kind.ts';
import { briefly } from '../values/text.ts';
import type { Closure, Compile, NodeOf } from './closure.ts';
import { Binding } from './env.ts';
import type { Env } from './run.ts';
import { CallSite } from './call-site.ts';
import { conforms } from './types.ts';
import { findBuiltin } from '../builtins/index.ts';
import { describe, invoke } from './invoke.ts';

/** Functions that test whether there is a value: a missing value is no mistake for them. */
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
  return bound instanceof FeelFunction ? bound : (findFunction(env, name) ?? null);
}

/** A function of the host, or one that comes with the language. */
export function findFunction({ run }: Env, name: string): FeelFunction | undefined {
  return run.options.functions?.get(name) ?? findBuiltin(name);
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
