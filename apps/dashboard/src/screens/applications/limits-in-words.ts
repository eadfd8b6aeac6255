import type { UsageLimits, UsageToday } from '@kethub/contract';

/** Limits of a subscription and their use, a line each. */
export function limitsInWords(limits: UsageLimits, usage: UsageToday): readonly string[] {
  const { requestsPerMinute, executionsPerDay, executionsPerMonth } = limits;
  const lines: string[] = [];
  if (executionsPerDay !== null) lines.push(`${usage.executionsToday ?? 0} of ${count(executionsPerDay)} today`);
  if (executionsPerMonth !== null)
    lines.push(`${usage.executionsThisMonth ?? 0} of ${count(executionsPerMonth)} this month`);
  if (requestsPerMinute !== null)
    lines.push(requestsPerMinute === 1 ? '1 request a minute' : `${count(requestsPerMinute)} requests a minute`);
  return lines.length === 0 ? ['no limit'] : lines;
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}
