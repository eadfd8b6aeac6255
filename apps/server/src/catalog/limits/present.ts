import type { UsageLimits, UsageToday } from '@kethub/contract';
import { hasQuota } from './count-execution.ts';

/** What was counted; nothing where nothing is counted. */
export function presentUsage(limits: UsageLimits, usage: UsageToday | undefined): UsageToday {
  if (!hasQuota(limits) || !usage) return { executionsToday: null, executionsThisMonth: null };
  return usage;
}
