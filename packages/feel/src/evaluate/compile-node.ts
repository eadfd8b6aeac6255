import { cost } from '../cost.ts';
import { childrenOf } from '../syntax/analysis.ts';
import type { Node } from '../syntax/ast.ts';
import { equal } from '../values/equality.ts';
import { isList, kindOf, newContext } from '../values/kind.ts';
import { add as addNumbers } from '../values/number.ts';
import { order, within } from '../values/order.ts';
import { FeelRange, type Value } from '../values/value.ts';
import { briefly } from '../values/text.ts';
import { compileCall, compileFunction, findFunction } from './calls.ts';
import type { Closure, NodeOf } from './closure.ts';
import { Binding, Members } from './env.ts';
import { compileFilter, compileList, compilePath } from './lists.ts';
import { compileFor, compileQuantified } from './loops.ts';
import { arithmetic, comparison, incomparable, negated } from './operators.ts';
import type { Span, Run } from './run.ts';
import { isInstance } from './types.ts';

/** The input of unary tests. */
const INPUT = '?';

/** Compiles a node, to be evaluated many times. */
export function compileNode(node: Node): Closure {
  switch (node.kind) {
    case 'constant':
      return () => node.value;
    case 'name':
      return compileName(node);
    case 'path':
      return compilePath(node, compileNode);
    case 'filter':
      return compileFilter(node, compileNode);
    case 'call':
      return compileCall(node, compileNode);
    case 'list':
      return compileList(node, compileNode);
    case 'context':
      return compileContext(node);
    case 'function':
      return compileFunction(node, compileNode);
    case 'range':
      return compileRange(node);
    case 'test':
      return compileTest(node);
    case 'binary':
      return compileBinary(node);
    case 'and':
      return compileLogic(node, false);
    case 'or':
      return compileLogic(node, true);
    case 'negate': {
      const operand = compileNode(node.operand);
      return (env) => negated(operand(env), env.run, node);
    }
    case 'between':
      return compileBetween(node);
    case 'in':
      return compileIn(node);
    case 'instance':
      return compileInstance(node);
    case 'if': {
      const [condition, then, otherwise] = [node.condition, node.consequence, node.otherwise].map(compileNode) as [
        Closure,
        Closure,
        Closure,
      ];
      return (env) => (condition(env) === true ? then(env) : otherwise(env));
    }
    case 'for':
      return compileFor(node, compileNode);
    case 'some':
    case 'every':
      return compileQuantified(node, compileNode);
    default:
      return compileTests(node);
  }
}

function compileName(node: NodeOf<'name'>): Closure {
  const { name } = node;
  return (env) => {
    const value = env.find(name);
    if (value !== undefined) return value;
    return findFunction(env, name) ?? env.run.warn('NO_VARIABLE_FOUND', `There is no variable "${name}".`, node);
  };
}

function compileContext({ entries }: NodeOf<'context'>): Closure {
  const members = entries.map(({ key, value }) => ({ key, value: compileNode(value) }));
  return (env) => {
    const context = newContext();
    const inner = new Members(env, context);
    for (const { key, value } of members) context[key] = value(inner);
    return context;
  };
}

function compileBinary(node: NodeOf<'binary'>): Closure {
  const { operator } = node;
  const left = compileNode(node.left);
  const right = compileNode(node.right);
  if (operator === '+') return compileAdd(node, left, right);
  const operation =
    operator === '-' || operator === '*' || operator === '/' || operator === '**'
      ? arithmetic(operator)
      : comparison(operator);
  return (env) => operation(left(env), right(env), env.run, node);
}

/** The most frequent operation of all goes straight to numbers. */
function compileAdd(node: NodeOf<'binary'>, left: Closure, right: Closure): Closure {
  const operation = arithmetic('+');
  return (env) => {
    const a = left(env);
    const b = right(env);
    if (typeof a === 'number' && typeof b === 'number') {
      const sum = addNumbers(a, b);
      if (!Number.isSafeInteger(sum)) env.run.meter.spend(cost.decimal);
      if (sum !== null) return sum;
    }
    return operation(a, b, env.run, node);
  };
}

/** Three-valued `and` and `or` (DMN 1.5, table 50); the decisive value decides even beside null. */
function compileLogic(node: NodeOf<'and'>, decisive: boolean): Closure {
  const left = compileNode(node.left);
  const right = compileNode(node.right);
  return (env) => {
    const first = left(env);
    if (first === decisive) return decisive;
    const second = right(env);
    if (second === decisive) return decisive;
    return first === !decisive && second === !decisive ? !decisive : null;
  };
}

function compileRange(node: NodeOf<'range'>): Closure {
  const start = compileNode(node.start);
  const end = compileNode(node.end);
  return (env) => {
    const low = start(env);
    const high = end(env);
    if (low !== null && high !== null && order(low, high, env.run.meter) === null) {
      return env.run.warn('INVALID_TYPE', `There is no range from ${briefly(low)} to ${briefly(high)}.`, node);
    }
    return new FeelRange(low, node.startIncluded, high, node.endIncluded);
  };
}

/** `(< 5)` and the like: everything on one side of a value. */
function compileTest({ relation, operand: node }: NodeOf<'test'>): Closure {
  const operand = compileNode(node);
  return (env) => {
    const value = operand(env);
    switch (relation) {
      case '=':
        return new FeelRange(value, true, value, true, 'equal');
      case '!=':
        return new FeelRange(value, true, value, true, 'unequal');
      case '<':
      case '<=':
        return new FeelRange(undefined, false, value, relation === '<=');
      default:
        return new FeelRange(value, relation === '>=', undefined, false);
    }
  };
}

function compileBetween(node: NodeOf<'between'>): Closure {
  const [value, low, high] = [node.value, node.low, node.high].map(compileNode) as [Closure, Closure, Closure];
  return (env) => {
    const inner = value(env);
    const above = order(inner, low(env), env.run.meter);
    const below = order(high(env), inner, env.run.meter);
    if (above !== null && below !== null) return above >= 0 && below >= 0;
    if ((above !== null && above < 0) || (below !== null && below < 0)) return false;
    return incomparable(inner, above === null ? low(env) : high(env), env.run, node);
  };
}

function compileInstance(node: NodeOf<'instance'>): Closure {
  const value = compileNode(node.value);
  return (env) => {
    const result = isInstance(value(env), node.type, env.run.meter);
    return result === undefined ? env.run.warn('INVALID_TYPE', 'The type is not known.', node) : result;
  };
}

/** `x in (…)`: true if one test holds, null if none does and one could not be applied. */
function compileIn(node: NodeOf<'in'>): Closure {
  const value = compileNode(node.value);
  const tests = node.tests.map(compileSingleTest);
  return (env) => {
    const input = value(env);
    const inner = new Binding(env, INPUT, input);
    return anyHolds(tests.map((test) => () => test(inner, input)));
  };
}

function compileTests(node: NodeOf<'tests'>): Closure {
  const tests = node.tests.map(compileSingleTest);
  return (env) => {
    if (tests.length === 0) return true;
    const input = env.find(INPUT) ?? null;
    const result = anyHolds(tests.map((test) => () => test(env, input)));
    return node.negated && result !== null ? !result : result;
  };
}

function anyHolds(tests: readonly (() => boolean | null)[]): boolean | null {
  let unknown = false;
  for (const test of tests) {
    const result = test();
    if (result === true) return true;
    unknown ||= result === null;
  }
  return unknown ? null : false;
}

type SingleTest = (env: Parameters<Closure>[0], input: Value) => boolean | null;

function compileSingleTest(node: Node): SingleTest {
  const test = compileNode(node);
  if (mentionsInput(node)) {
    return (env) => {
      const result = test(env);
      return typeof result === 'boolean' ? result : null;
    };
  }
  return (env, input) => holds(input, test(env), env.run, node);
}

/** Returns whether an expression looks at the input itself, so that its own result counts. */
function mentionsInput(node: Node): boolean {
  if (node.kind === 'name') return node.name === INPUT;
  return childrenOf(node).some(mentionsInput);
}

/** A test that is a value: equal to it, in the range, or among the items of the list or their ranges. */
function holds(input: Value, test: Value, run: Run, span: Span): boolean | null {
  if (test instanceof FeelRange) {
    if (kindOf(input) === 'range') return equal(input, test, run.meter);
    return within(input, test, run.meter) ?? incomparable(input, test, run, span);
  }
  if (isList(test)) return isAmong(input, test, run);
  const same = equal(input, test, run.meter);
  return same === null ? incomparable(input, test, run, span) : same;
}

function isAmong(input: Value, list: readonly Value[], run: Run): boolean {
  run.meter.spend(list.length);
  if (isList(input) && equal(input, list, run.meter) === true) return true;
  return list.some((item) => {
    if (item instanceof FeelRange && kindOf(input) !== 'range') return within(input, item, run.meter) === true;
    return equal(input, item, run.meter) === true;
  });
}
