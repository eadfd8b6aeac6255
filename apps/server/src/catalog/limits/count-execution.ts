import type { UsageLimits } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { periodsOf, type Period } from './periods.ts';

interface Quota {
  readonly name: string;
  readonly period: Period;
  /** Null is without limit. */
  readonly units: number | null;
}

/** Header fields that say how much is left of the quotas of a subscription. */
export type QuotaFields = Readonly<Record<'ratelimit' | 'ratelimit-policy', string>>;

/** Returns whether executions of this subscription are counted. */
export function hasQuota({ executionsPerDay, executionsPerMonth }: UsageLimits): boolean {
  return executionsPerDay !== null || executionsPerMonth !== null;
}

/**
 * Counts an execution in the transaction that accepts it. Throws quota-exceeded when the quota is used up; the
 * transaction then takes the count back. The statement locks its rows until the transaction ends, so no two processes
 * take the last one.
 */
export async function countExecution(
  transaction: Queries,
  subscriptionId: string,
  limits: UsageLimits,
  now: number,
): Promise<QuotaFields> {
  const { day, month } = periodsOf(now);
  const rows = await transaction
    .insertInto('execution_counts')
    // Rows are always locked in this order, so that two transactions cannot deadlock.
    .values([day, month].map(({ name }) => ({ subscription_id: subscriptionId, period: name, taken: 1 })))
    .onConflict((conflict) =>
      conflict
        .columns(['subscription_id', 'period'])
        .doUpdateSet((row) => ({ taken: row('execution_counts.taken', '+', 1) })),
    )
    .returning(['period', 'taken'])
    .execute();
  const taken = new Map(rows.map((row) => [row.period, row.taken]));
  if (taken.get(day.name) === 1) await forgetPast(transaction, subscriptionId, [day.name, month.name]);
  const quotas: Quota[] = [
    { name: 'executions-per-day', period: day, units: limits.executionsPerDay },
    { name: 'executions-per-month', period: month, units: limits.executionsPerMonth },
  ];
  return fieldsOf(quotas, taken, now);
}

/** Takes back an execution counted at `countedAt` (epoch milliseconds) that has certainly not happened. */
export async function uncountExecution(transaction: Queries, subscriptionId: string, countedAt: number): Promise<void> {
  const { day, month } = periodsOf(countedAt);
  await transaction
    .updateTable('execution_counts')
    .set((row) => ({ taken: row('taken', '-', 1) }))
    .where('subscription_id', '=', subscriptionId)
    .where('period', 'in', [day.name, month.name])
    .where('taken', '>', 0)
    .execute();
}

/** Deletes the counts of earlier days and months. Called for the first execution of a day. */
async function forgetPast(transaction: Queries, subscriptionId: string, periods: string[]): Promise<void> {
  await transaction
    .deleteFrom('execution_counts')
    .where('subscription_id', '=', subscriptionId)
    .where('period', 'not in', periods)
    .execute();
}

function fieldsOf(quotas: readonly Quota[], taken: ReadonlyMap<string, number>, now: number): QuotaFields {
  const set = quotas.flatMap(({ units, name, period }) =>
    units === null
      ? []
      : [{ name, period, units, left: units - (taken.get(period.name) ?? 0), wait: secondsUntil(period, now) }],
  );
  const fields = {
    ratelimit: set.map(({ name, left, wait }) => `"${name}";r=${Math.max(0, left)};t=${wait}`).join(', '),
    'ratelimit-policy': set.map(({ name, units, period }) => `"${name}";q=${units};w=${period.seconds}`).join(', '),
  };
  const used = set.filter(({ left }) => left < 0);
  if (used.length === 0) return fields;
  const wait = Math.max(...used.map((quota) => quota.wait));
  const quotasInWords = used.map(({ units, name }) => `${units} ${name.replaceAll('-', ' ')}`).join(' and ');
  throw new Problem(
    'quota-exceeded',
    `The subscription allows ${quotasInWords} (UTC), and they are used up. Try again in ${wait} seconds, or ask the provider of the service for more.`,
    { headers: { ...fields, 'retry-after': String(wait) } },
  );
}

function secondsUntil({ end }: Period, now: number): number {
  return Math.ceil((end - now) / 1000);
}
