import { cost } from '../cost.ts';
import { addDuration } from '../temporal/arithmetic.ts';
import { FeelDate, DaysDuration } from '../values/temporal.ts';
import { isList } from '../values/kind.ts';
import { add, compareNumbers, isNumber } from '../values/number.ts';
import { order } from '../values/order.ts';
import { FeelRange, type FeelNumber, type Value } from '../values/value.ts';
import { briefly } from '../values/text.ts';
import type { Closure, Compile, NodeOf } from './closure.ts';
import { Binding, Partial } from './env.ts';
import type { Env, Span, Run } from './run.ts';

interface Domain {
  name: string;
  start: Closure;
  end: Closure | null;
  span: Span;
}

/** `for x in xs, y in ys return …`: later domains see earlier variables, the result so far is `partial`. */
export function compileFor(node: NodeOf<'for'>, compile: Compile): Closure {
  const domains = compileDomains(node, compile);
  const body = compile(node.body);
  return (env) => {
    const results: Value[] = [];
    const complete = iterate(domains, 0, env, (inner) => {
      env.run.meter.spend(node.body.size);
      env.run.meter.limitList(results.length + 1);
      results.push(body(new Partial(inner, results)));
      return true;
    });
    return complete === null ? null : results;
  };
}

/** `some` and `every`, with three values: null where one condition is not true or false and the others don't decide. */
export function compileQuantified(node: NodeOf<'some'>, compile: Compile): Closure {
  const domains = compileDomains(node, compile);
  const condition = compile(node.condition);
  const decisive = node.kind === 'some';
  return (env) => {
    let unknown = false;
    const complete = iterate(domains, 0, env, (inner) => {
      env.run.meter.spend(node.condition.size);
      const result = condition(inner);
      if (typeof result !== 'boolean') unknown = true;
      return result !== decisive;
    });
    if (complete === null) return null;
    if (!complete) return decisive;
    return unknown ? null : !decisive;
  };
}

function compileDomains(node: NodeOf<'for'> | NodeOf<'some'>, compile: Compile): Domain[] {
  return node.iterators.map(({ name, domain, end }) => ({
    name,
    start: compile(domain),
    end: end && compile(end),
    span: { from: domain.from, to: end?.to ?? domain.to },
  }));
}

/** Visits every combination until a visit says no. False if one did, null if a domain cannot be iterated over. */
function iterate(domains: readonly Domain[], index: number, env: Env, visit: (env: Env) => boolean): boolean | null {
  const domain = domains[index];
  if (!domain) return visit(env);
  const items = itemsOf(domain, env);
  if (!items) return null;
  for (const item of items) {
    const complete = iterate(domains, index + 1, new Binding(env, domain.name, item), visit);
    if (complete !== true) return complete;
  }
  return true;
}

function itemsOf({ start, end, span }: Domain, env: Env): Iterable<Value> | null {
  const { run } = env;
  const first = start(env);
  if (end) return steps(new FeelRange(first, true, end(env), true), run, span);
  if (isList(first)) return first;
  if (first instanceof FeelRange) return isDescending(first, run) ? descending(run, span) : steps(first, run, span);
  return first === null ? run.warn('INVALID_TYPE', 'Null cannot be iterated over.', span) : [first];
}

/** A range is never empty or turned round (DMN 1.5, 10.3.2.7); only `2..1` that is written in a loop counts down. */
function isDescending({ start, end }: FeelRange, { meter }: Run): boolean {
  return isNumber(start) && isNumber(end)
    ? compareNumbers(start, end) > 0
    : start instanceof FeelDate && end instanceof FeelDate && (order(start, end, meter) ?? 0) > 0;
}

function descending(run: Run, span: Span): null {
  return run.warn(
    'INVALID_TYPE',
    'The range ends before it starts. Write 2..1, without brackets, to count down.',
    span,
  );
}

/** The whole steps of a range of numbers or dates, up or down. */
function steps(range: FeelRange, run: Run, span: Span): Iterable<Value> | null {
  const { start, end } = range;
  if (isNumber(start) && isNumber(end)) return stepsOf<FeelNumber>(start, end, range, compareNumbers, add, run);
  if (start instanceof FeelDate && end instanceof FeelDate) {
    return stepsOf<FeelDate>(start, end, range, (left, right) => order(left, right, run.meter) ?? 0, addDays, run);
  }
  const ends = `${briefly(start ?? null)} to ${briefly(end ?? null)}`;
  return run.warn('INVALID_TYPE', `A range from ${ends} cannot be iterated over.`, span);
}

function addDays(date: FeelDate, days: number): FeelDate | null {
  const next = addDuration(date, new DaysDuration(BigInt(days) * 86_400_000_000_000n));
  return next instanceof FeelDate ? next : null;
}

function* stepsOf<T extends Value>(
  start: T,
  end: T,
  { startIncluded, endIncluded }: FeelRange,
  compare: (left: T, right: T) => number,
  next: (value: T, step: number) => T | null,
  run: Run,
): Iterable<Value> {
  const step = compare(start, end) <= 0 ? 1 : -1;
  let value: T | null = startIncluded ? start : next(start, step);
  while (value !== null) {
    const left: number = compare(end, value) * step;
    if (left < 0 || (left === 0 && !endIncluded)) return;
    run.meter.spend(isNumber(value) ? 1 : cost.day);
    yield value;
    value = next(value, step);
  }
}
