import type { ExecutionCounts } from '@kethub/contract';
import { parseTime } from '../../look/time.ts';

/** Executions of one day (UTC). */
export interface Column {
  readonly day: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly others: number;
}

const DAY_MS = 86_400_000;
/** Columns that are drawn at most: the newest. */
const MOST = 92;

/** Every day of the counted time, also those without executions. */
export function columnsOf({ from, to, times }: Pick<ExecutionCounts, 'from' | 'to' | 'times'>): readonly Column[] {
  const byDay = new Map(times.map(({ at, counts }) => [at.slice(0, 10), counts]));
  const last = Math.floor((parseTime(to) - 1) / DAY_MS);
  const first = Math.max(Math.floor(parseTime(from) / DAY_MS), last - MOST + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const day = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    return { day, ...totalOf(byDay.get(day) ?? {}) };
  });
}

export function totalOf(counts: ExecutionCounts['total']): Omit<Column, 'day'> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const succeeded = counts.SUCCEEDED ?? 0;
  const failed = (counts.FAILED ?? 0) + (counts.UNKNOWN ?? 0);
  return { total, succeeded, failed, others: total - succeeded - failed };
}
