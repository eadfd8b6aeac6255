import { performance } from 'node:perf_hooks';
import { compile } from '../compile.ts';
import { FeelBudgetError, FeelSyntaxError } from '../errors.ts';
import { scopeOf } from '../scope.ts';
import { briefly } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import { type Case, contextOf, namesIn, valueOf } from './cases.ts';
import { isExpected } from './compare.ts';

/** Milliseconds that a single case may take. Beyond it, the case fails. */
const CASE_LIMIT = 200;

/** The outcome of a case: the reason of a failure, or null. A failure that is worse than a wrong value has a name. */
export interface Outcome {
  id: string;
  group: string;
  failure: string | null;
  kind: 'passed' | 'wrong' | 'too slow' | 'exception';
}

interface Totals {
  passed: number;
  total: number;
}

/** The report that is committed: totals, and the failed cases with a reason in a line. */
export interface Report {
  total: Totals & { tooSlow: number; exceptions: number };
  groups: Record<string, Totals>;
  failing: Record<string, string>;
}

/** Evaluates a case. Whatever it throws is part of the outcome. */
export function runCase(one: Case, now: () => number = () => performance.now()): Outcome {
  const { id, group } = one;
  const started = now();
  let failure: string | null;
  try {
    const value = evaluate(one);
    const expected = valueOf(one.expected);
    failure = isExpected(value, expected) ? null : `expected ${inWords(expected)}, got ${inWords(value)}`;
  } catch (error) {
    return { id, group, failure: String(error), kind: 'exception' };
  }
  if (now() - started > CASE_LIMIT)
    return { id, group, failure: `took longer than ${CASE_LIMIT} ms`, kind: 'too slow' };
  return { id, group, failure, kind: failure === null ? 'passed' : 'wrong' };
}

/** The value; null where the expression is refused or needs too much, which the cases count as a reported error. */
function evaluate({ expression, context }: Case): Value {
  try {
    const compiled = compile(expression, { names: namesIn(context) });
    const now = () => ({ epochMilliseconds: Date.now(), timeZone: 'Etc/UTC' });
    return compiled.evaluate(scopeOf(contextOf(context)), { now, random: Math.random, uuid: () => crypto.randomUUID() })
      .value;
  } catch (error) {
    if (error instanceof FeelSyntaxError || error instanceof FeelBudgetError) return null;
    throw error;
  }
}

function inWords(value: Value): string {
  return briefly(value).replace(/\s+/g, ' ');
}

export function reportOf(outcomes: readonly Outcome[]): Report {
  const report: Report = { total: { passed: 0, total: 0, tooSlow: 0, exceptions: 0 }, groups: {}, failing: {} };
  for (const { id, group, failure, kind } of [...outcomes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const totals = (report.groups[group] ??= { passed: 0, total: 0 });
    totals.total++;
    report.total.total++;
    if (kind === 'too slow') report.total.tooSlow++;
    if (kind === 'exception') report.total.exceptions++;
    if (failure === null) {
      totals.passed++;
      report.total.passed++;
    } else report.failing[id] = failure;
  }
  return report;
}
