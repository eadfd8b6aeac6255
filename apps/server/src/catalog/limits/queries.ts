import type { ServiceLimits, UsageLimits, UsageLimitsRequest, UsageToday } from '@kethub/contract';
import type { Queries } from '../../foundation/storage/index.ts';
import { periodsOf } from './periods.ts';

/** The SQL of limits on subscriptions. */

const columns = ['requests_per_minute', 'executions_per_day', 'executions_per_month'] as const;

interface LimitColumns {
  readonly requests_per_minute: number | null;
  readonly executions_per_day: number | null;
  readonly executions_per_month: number | null;
}

export const NOTHING_SET: UsageLimitsRequest = {
  requestsPerMinute: null,
  executionsPerDay: null,
  executionsPerMonth: null,
};

function limitsOf(row: LimitColumns | undefined): UsageLimitsRequest {
  if (!row) return NOTHING_SET;
  return {
    requestsPerMinute: row.requests_per_minute,
    executionsPerDay: row.executions_per_day,
    executionsPerMonth: row.executions_per_month,
  };
}

export function columnsOf(limits: UsageLimitsRequest): LimitColumns {
  return {
    requests_per_minute: limits.requestsPerMinute,
    executions_per_day: limits.executionsPerDay,
    executions_per_month: limits.executionsPerMonth,
  };
}

/** Reads the limits that the provider has set for a service and for each subscription to it. */
export async function limitsOfService(queries: Queries, serviceId: string): Promise<ServiceLimits> {
  const row = await queries
    .selectFrom('service_limits')
    .select([...columns, 'executions_at_once'])
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return { ...limitsOf(row), executionsAtOnce: row?.executions_at_once ?? null };
}

/**
 * Reads the limits in force for subscriptions: each is that of the subscription, of the service, or of the
 * installation.
 */
export async function limitsOfSubscriptions(
  queries: Queries,
  defaults: UsageLimits,
  ids: readonly string[],
): Promise<Map<string, { readonly set: UsageLimitsRequest; readonly limits: UsageLimits }>> {
  if (ids.length === 0) return new Map();
  const rows = await queries
    .selectFrom('subscriptions')
    .leftJoin('subscription_limits', 'subscription_limits.subscription_id', 'subscriptions.id')
    .leftJoin('service_limits', 'service_limits.service_id', 'subscriptions.service_id')
    .select('subscriptions.id')
    .select([
      'subscription_limits.requests_per_minute as own_requests',
      'subscription_limits.executions_per_day as own_day',
      'subscription_limits.executions_per_month as own_month',
      'service_limits.requests_per_minute as service_requests',
      'service_limits.executions_per_day as service_day',
      'service_limits.executions_per_month as service_month',
    ])
    .where('subscriptions.id', 'in', ids)
    .execute();
  return new Map(
    rows.map((row) => {
      const set = {
        requestsPerMinute: row.own_requests,
        executionsPerDay: row.own_day,
        executionsPerMonth: row.own_month,
      };
      const limits = {
        requestsPerMinute: row.own_requests ?? row.service_requests ?? defaults.requestsPerMinute,
        executionsPerDay: row.own_day ?? row.service_day ?? defaults.executionsPerDay,
        executionsPerMonth: row.own_month ?? row.service_month ?? defaults.executionsPerMonth,
      };
      const isDefault = Object.entries(limits).every(([name, value]) => value === Reflect.get(defaults, name));
      // Subscriptions with the default limits share one object.
      return [row.id, { set, limits: isDefault ? defaults : limits }];
    }),
  );
}

/** Reads the counts of these subscriptions in the current day and month. */
export async function usageOf(queries: Queries, ids: readonly string[], now: number): Promise<Map<string, UsageToday>> {
  const { day, month } = periodsOf(now);
  const rows =
    ids.length === 0
      ? []
      : await queries
          .selectFrom('execution_counts')
          .selectAll()
          .where('subscription_id', 'in', ids)
          .where('period', 'in', [day.name, month.name])
          .execute();
  const taken = (id: string, period: string): number =>
    rows.find((row) => row.subscription_id === id && row.period === period)?.taken ?? 0;
  return new Map(
    ids.map((id) => [id, { executionsToday: taken(id, day.name), executionsThisMonth: taken(id, month.name) }]),
  );
}
