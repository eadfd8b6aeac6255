import { fromMicros, toMicros, type PricingPlan, type Product } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { ServiceRow } from '../../foundation/storage/index.ts';

interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** Returns the plans with prices in their shortest form. Throws invalid-request with all errors. */
export function checkPlans(plans: readonly PricingPlan[], type: ServiceRow['type']): PricingPlan[] {
  const faults = [
    ...duplicates(plans, '/pricingPlans'),
    ...plans.flatMap((plan, index) => faultsOf(plan, `/pricingPlans/${index}`, type)),
  ];
  if (faults.length > 0) {
    const sentences = faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    throw new Problem('invalid-request', `The pricing plans do not fit together: ${sentences}.`, { errors: faults });
  }
  return plans.map((plan) => (plan.products ? { ...plan, products: plan.products.map(withShortPrice) } : plan));
}

function withShortPrice(product: Product): Product {
  return { ...product, unitPrice: fromMicros(toMicros(product.unitPrice)) };
}

function faultsOf(plan: PricingPlan, at: string, type: ServiceRow['type']): Fault[] {
  const { products = [] } = plan;
  const faults = [
    ...duplicates(products, `${at}/products`),
    ...products.flatMap((product, index) => meteringFaults(product, `${at}/products/${index}/metering`, type)),
  ];
  const fault = (member: string, detail: string): number => faults.push({ pointer: `${at}/${member}`, detail });
  if (plan.type === 'COMMERCIAL' && products.length === 0)
    fault('products', 'must name what a COMMERCIAL plan charges for');
  if (plan.type !== 'COMMERCIAL' && plan.products)
    fault('products', `must not be there in a plan that is ${plan.type}`);
  if (plan.type === 'ON_REQUEST' && !plan.contact) fault('contact', 'must say how to reach the provider');
  if (plan.type !== 'ON_REQUEST' && plan.contact) fault('contact', `must not be there in a plan that is ${plan.type}`);
  return faults;
}

/**
 * Errors of a product's metering. The provider reports the use of on-premise services, the platform measures all
 * others.
 */
function meteringFaults({ metering }: Product, pointer: string, type: ServiceRow['type']): Fault[] {
  if ((metering === 'REPORTED') === (type === 'ON_PREMISE')) return [];
  return type === 'ON_PREMISE'
    ? [{ pointer, detail: 'must be REPORTED: the platform does not run an on-premise service' }]
    : [{ pointer, detail: 'must not be REPORTED: the platform measures what it runs' }];
}

function duplicates(all: readonly { readonly id: string }[], at: string): Fault[] {
  return all.flatMap(({ id }, index) =>
    all.findIndex((one) => one.id === id) < index
      ? [{ pointer: `${at}/${index}/id`, detail: `is "${id}", as another one is` }]
      : [],
  );
}
