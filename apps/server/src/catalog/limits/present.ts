import type { UsageLimits, UsageToday } from '@kethub/contract';
import { hasQuota } from './count-execution.ts';

/** Presents the counts of executions; empty where none are counted. */
export function presentUsage(limits: UsageLimits, usage: UsageToday | undefined): UsageToday {
  if (!hasQuota(limits) || !usage) return { executionsToday: null, executionsThisMonth: null };
  return usage;
}
