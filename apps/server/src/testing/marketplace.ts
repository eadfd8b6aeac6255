import type { ListingRequest, PricingPlan, Product } from '@kethub/contract';

/** A commercial plan that charges a price in EUR per execution, and for other products if there are any. */
export function commercialPlan(unitPrice: string, others: readonly Product[] = []): PricingPlan {
  const runs: Product = { id: 'runs', name: 'Runs', metering: 'EXECUTION', unit: 'run', unitPrice, currency: 'EUR' };
  return { id: 'paid', name: 'Paid', type: 'COMMERCIAL', products: [runs, ...others] };
}

export const freePlan: PricingPlan = { id: 'free', name: 'Free', type: 'FREE' };
export const requestPlan: PricingPlan = {
  id: 'special',
  name: 'Special',
  type: 'ON_REQUEST',
  contact: 'Write to sales@lab.example.org',
};

/** A listing of version 1.0.0 on every type of plan. */
export function listing(change: Partial<ListingRequest> = {}): ListingRequest {
  return {
    version: '1.0.0',
    categories: ['OPTIMIZATION'],
    pricingPlans: [freePlan, commercialPlan('0.10'), requestPlan],
    ...change,
  };
}
