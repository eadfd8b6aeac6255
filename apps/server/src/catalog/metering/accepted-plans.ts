import type { PricingPlan } from '@kethub/contract';
import type { AcceptedPlanRow, OwnerType, Queries } from '../../foundation/storage/index.ts';

/** An accepted plan: COMMERCIAL, or FREE. */
export interface AcceptedPlan extends Omit<AcceptedPlanRow, 'pricing_plan'> {
  readonly plan: PricingPlan;
}

export interface Party {
  readonly type: OwnerType;
  readonly id: string;
}

/**
 * Stores the plan of a subscription as it is now. The copy never changes and outlives the subscription, so that
 * executions that still run at its end are charged as agreed.
 */
export async function acceptPlan(transaction: Queries, { plan, ...row }: AcceptedPlan): Promise<void> {
  await transaction
    .insertInto('accepted_plans')
    .values({ ...row, pricing_plan: JSON.stringify(plan) })
    .execute();
}

/** Finds the plan of a subscription, also of one that has ended; undefined when it has no plan. */
export async function findAcceptedPlan(queries: Queries, subscriptionId: string): Promise<AcceptedPlan | undefined> {
  const row = await queries
    .selectFrom('accepted_plans')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst();
  return row && readAcceptedPlan(row);
}

/** Parses the plan of a row, which this program validated when it wrote it. */
export function readAcceptedPlan({ pricing_plan, ...row }: AcceptedPlanRow): AcceptedPlan {
  return { ...row, plan: JSON.parse(pricing_plan) as PricingPlan };
}

/** Makes this owner pay for what the application uses from now on. */
export async function changeConsumer(transaction: Queries, applicationId: string, to: Party): Promise<void> {
  await transaction
    .updateTable('accepted_plans')
    .set({ consumer_type: to.type, consumer_id: to.id })
    .where('application_id', '=', applicationId)
    .execute();
}

/** Makes this owner earn what is used of the service from now on. */
export async function changeProvider(transaction: Queries, serviceId: string, to: Party): Promise<void> {
  await transaction
    .updateTable('accepted_plans')
    .set({ provider_type: to.type, provider_id: to.id })
    .where('service_id', '=', serviceId)
    .execute();
}
