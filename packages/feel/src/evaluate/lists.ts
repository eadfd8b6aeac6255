import { cost } from '../cost.ts';
import { Item } from './env.ts';
import type { Env, Span, Run } from './run.ts';
import type { Closure, Compile, NodeOf } from './closure.ts';
import type { Node } from '../syntax/ast.ts';
import { isContext, isList, member } from '../values/kind.ts';
import { isNumber, truncate } from '../values/number.ts';
import { within } from '../values/order.ts';
import { FeelRange, type FeelNumber, type Value } from '../values/value.ts';
import { briefly } from '../values/text.ts';
import { property } from './properties.ts';

export function compileList({ items }: NodeOf<'list'>, compile: Compile): Closure {
  const closures = items.map(compile);
  return (env) => {
    env.run.meter.list(closures.length);
    return closures.map((closure) => closure(env));
  };
}

/** `a.b`: a member of a context, a property, or that of every item of a list. */
export function compilePath(node: NodeOf<'path'>, compile: Compile): Closure {
  const of = compile(node.of);
  return (env) => access(of(env), node.name, env.run, node);
}

function access(value: Value, name: string, run: Run, span: Span): Value {
  if (isContext(value)) {
    const found = member(value, name);
    return found === undefined ? run.warn('NO_CONTEXT_ENTRY_FOUND', `There is no member "${name}".`, span) : found;
  }
  if (isList(value)) {
    run.meter.list(value.length);
    return value.map((item) => access(item, name, run, span));
  }
  if (value === null) return run.warn('NO_CONTEXT_ENTRY_FOUND', `"${name}" was looked for in null.`, span);
  if (name === 'time offset') run.meter.spend(cost.zone);
  const found = property(value, name);
  return found === undefined
    ? run.warn('NO_PROPERTY_FOUND', `${briefly(value)} has no property "${name}".`, span)
    : found;
}

/**
 * `list[index]` and `list[condition]` (DMN 1.5, 10.3.2.5). The evaluation of the first item shows which of both it is,
 * as in Camunda. A value that is no list is one of one item.
 */
export function compileFilter(node: NodeOf<'filter'>, compile: Compile): Closure {
  const of = compile(node.of);
  const by = compile(node.by);
  const isCondition = alwaysCondition(node.by);
  return (env) => {
    const value = of(env);
    if (value === null) return env.run.warn('INVALID_TYPE', 'Null cannot be filtered.', node);
    const list = isList(value) ? value : [value];
    if (list.length === 0) return isCondition ? [] : filterEmpty(by(env), env.run, node);
    return filter(list, by, node, env);
  };
}

function filter(list: readonly Value[], by: Closure, node: NodeOf<'filter'>, env: Env): Value {
  const { meter } = env.run;
  const kept: Value[] = [];
  for (const item of list) {
    meter.spend(node.by.size);
    const result = by(new Item(env, item));
    if (isNumber(result) && item === list[0]) return at(list, result, env.run, node);
    if (result instanceof FeelRange ? within(item, result, meter) === true : result === true) kept.push(item);
    else if (typeof result === 'string' || isNumber(result) || isList(result) || isContext(result))
      return env.run.warn('INVALID_TYPE', `${briefly(result)} is neither a condition nor a position.`, node);
  }
  return kept;
}

function filterEmpty(by: Value, run: Run, span: Span): Value {
  return isNumber(by) ? at([], by, run, span) : [];
}

/** Comparisons and calls are conditions unless they turn out to be numbers, whatever the list. */
function alwaysCondition({ kind }: Node): boolean {
  return kind !== 'constant' && kind !== 'name' && kind !== 'path' && kind !== 'negate' && kind !== 'binary';
}

/** The item at a position: 1 is the first, -1 the last. */
function at(list: readonly Value[], position: FeelNumber, run: Run, span: Span): Value {
  const index = truncate(position);
  const item = index > 0 ? list[index - 1] : index < 0 ? list[list.length + index] : undefined;
  if (item !== undefined) return item;
  return run.warn('INDEX_OUT_OF_RANGE', `There is no item ${index} in a list of ${list.length}.`, span);
}
