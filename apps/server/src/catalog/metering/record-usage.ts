import { toMicros, type Metering, type Product } from '@kethub/contract';
import type { ExecutionEnd } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import {
  isAmong,
  type AcceptedPlanRow,
  type ExecutionRow,
  type Queries,
  type UsageRecordRow,
} from '../../foundation/storage/index.ts';
import { readAcceptedPlan, type AcceptedPlan, type Party } from './accepted-plans.ts';

/** A used quantity of a product of an accepted plan. */
export interface Usage {
  readonly product: Product;
  /** In millionths of the unit. */
  readonly amount: number;
  readonly executionId: string | null;
  readonly consumer: Party;
  readonly occurredAt: number;
  readonly test: boolean;
}

/**
 * Records the use of an execution, in the transaction in which it becomes SUCCEEDED, so exactly once. The owner for
 * whom it was started pays, even if the application has another owner now.
 */
export function recordExecution(platform: Platform, transaction: Queries, end: MeteredEnd): Promise<void> {
  return recordExecutions(platform, transaction, [end]);
}

/** {@link recordExecution} for several executions. */
export async function recordExecutions(
  platform: Platform,
  transaction: Queries,
  ends: readonly MeteredEnd[],
): Promise<void> {
  if (ends.length === 0) return;
  const byId = new Map(ends.map((end) => [end.executionId, end]));
  const charged = await transaction
    .selectFrom('executions')
    .innerJoin('accepted_plans', 'accepted_plans.subscription_id', 'executions.subscription_id')
    .selectAll('accepted_plans')
    .select(['executions.id as execution_id', 'executions.owner_type', 'executions.owner_id'])
    .where(isAmong(transaction, 'executions.id', [...byId.keys()]))
    .where('accepted_plans.type', '=', 'COMMERCIAL')
    .execute();
  const rows = charged.flatMap(({ execution_id, ...row }) => {
    const end = byId.get(execution_id);
    return end ? usageOf(platform, row, end) : [];
  });
  if (rows.length > 0) await transaction.insertInto('usage_records').values(rows).execute();
}

type Charged = AcceptedPlanRow & Pick<ExecutionRow, 'owner_type' | 'owner_id'>;

function usageOf(platform: Platform, row: Charged, end: MeteredEnd): UsageRecordRow[] {
  const { owner_type, owner_id, ...accepted } = row;
  const plan = readAcceptedPlan(accepted);
  const consumer: Party =
    owner_type !== null && owner_id !== null
      ? { type: owner_type, id: owner_id }
      : { type: plan.consumer_type, id: plan.consumer_id };
  return (plan.plan.products ?? []).flatMap((product) => {
    const amount = amountOf(product, end);
    if (amount === null) return [];
    const usage = { executionId: end.executionId, consumer, occurredAt: end.endedAt, test: false };
    return [usageRow(platform, plan, { ...usage, product, amount })];
  });
}

/** The record of a usage, with the current price and parties. */
export function usageRow(platform: Platform, accepted: AcceptedPlan, usage: Usage): UsageRecordRow {
  const { product, consumer } = usage;
  return {
    id: platform.newId(),
    subscription_id: accepted.subscription_id,
    application_id: accepted.application_id,
    service_id: accepted.service_id,
    service_version_id: accepted.service_version_id,
    execution_id: usage.executionId,
    product: product.id,
    amount: usage.amount,
    unit_price: product.unitPrice,
    currency: product.currency,
    test: usage.test ? 1 : 0,
    consumer_type: consumer.type,
    consumer_id: consumer.id,
    provider_type: accepted.provider_type,
    provider_id: accepted.provider_id,
    occurred_at: usage.occurredAt,
    created_at: platform.now(),
  };
}

/** The metered values of an execution. */
type MeteredEnd = Pick<ExecutionEnd, 'executionId' | 'startedAt' | 'endedAt' | 'cpuMs'>;

const MILLISECOND = 1_000;

/** Amount in millionths of the unit; null when the platform does not measure it, or could not. */
function amountOf({ metering }: Product, { startedAt, endedAt, cpuMs }: MeteredEnd): number | null {
  const amounts: Readonly<Record<Metering, number | null>> = {
    EXECUTION: Number(toMicros('1')),
    RUN_SECONDS: Math.max(0, Math.round(endedAt - startedAt)) * MILLISECOND,
    CPU_SECONDS: cpuMs === null ? null : Math.round(cpuMs * MILLISECOND),
    REPORTED: null,
  };
  return amounts[metering];
}
