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
 * Keeps the plan that a subscription is made on as it is now. It never changes and outlives the subscription: what runs
 * when the subscription ends is charged as agreed.
 */
export async function acceptPlan(transaction: Queries, { plan, ...row }: AcceptedPlan): Promise<void> {
  await transaction
    .insertInto('accepted_plans')
    .values({ ...row, pricing_plan: JSON.stringify(plan) })
    .execute();
}

/** The plan of a subscription, also of one that has ended; undefined when it was not made on one. */
export async function findAcceptedPlan(queries: Queries, subscriptionId: string): Promise<AcceptedPlan | undefined> {
  const row = await queries
    .selectFrom('accepted_plans')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst();
  return row && readAcceptedPlan(row);
}

/** The row holds JSON that this program wrote and validated before. */
export function readAcceptedPlan({ pricing_plan, ...row }: AcceptedPlanRow): AcceptedPlan {
  return { ...row, plan: JSON.parse(pricing_plan) as PricingPlan };
}

/** From now on this owner pays for what the application uses. */
export async function changeConsumer(transaction: Queries, applicationId: string, to: Party): Promise<void> {
  await transaction
    .updateTable('accepted_plans')
    .set({ consumer_type: to.type, consumer_id: to.id })
    .where('application_id', '=', applicationId)
    .execute();
}

/** From now on this owner earns what is used of the service. */
export async function changeProvider(transaction: Queries, serviceId: string, to: Party): Promise<void> {
  await transaction
    .updateTable('accepted_plans')
    .set({ provider_type: to.type, provider_id: to.id })
    .where('service_id', '=', serviceId)
    .execute();
}
