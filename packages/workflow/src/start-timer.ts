import { FeelBudgetError, scopeOf, toJson } from '@kethub/feel';
import { timeOf } from './engine/waits.ts';
import type { Expression } from './expression.ts';
import type { TimerDefinition } from './graph.ts';
import type { StartTimer } from './types.ts';

/** Budget of one timer expression. It is small, because a file may have thousands of start events. */
const BUDGET = { steps: 2_000, listLength: 1_000, textLength: 10_000 };

/**
 * The first due time of a timer that starts a process, counted from `now`, or of another one without variables. The
 * expression of a start sees none, because nothing has been started yet. Null: it gives no time.
 */
export function firstDue({ kind, value }: TimerDefinition, now: number): StartTimer | null {
  const text = value.compiled === null ? value.source : evaluate(value.compiled, now);
  return text === null ? null : timeOf(kind, text, now);
}

function evaluate(expression: NonNullable<Expression['compiled']>, now: number): string | null {
  const instant = { epochMilliseconds: now, timeZone: 'Etc/UTC' };
  try {
    const value = toJson(expression.evaluate(scopeOf({}), { now: () => instant, budget: BUDGET }).value);
    return typeof value === 'string' ? value : null;
  } catch (error) {
    if (!(error instanceof FeelBudgetError)) throw error;
    return null;
  }
}
