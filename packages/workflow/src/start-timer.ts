import { FeelBudgetError, scopeOf, toJson } from '@kethub/feel';
import { timeOf } from './engine/waits.ts';
import type { Expression } from './expression.ts';
import type { TimerDefinition } from './graph.ts';
import type { StartTimer } from './types.ts';

/** A time needs little; a file may have thousands of start events. */
const BUDGET = { steps: 2_000, listLength: 1_000, textLength: 10_000 };

/**
 * When a timer that starts a process is first due, counted from `now`. Nothing has been started yet, so its expression sees no
 * variables. Null: it gives no time.
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
