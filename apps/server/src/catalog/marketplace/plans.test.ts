import type { PricingPlan, Product } from '@kethub/contract';
import { expect, test } from 'vitest';
import { Problem } from '../../foundation/http/index.ts';
import { checkPlans } from './plans.ts';

const product: Product = {
  id: 'runs',
  name: 'Runs',
  metering: 'EXECUTION',
  unit: 'run',
  unitPrice: '0.500',
  currency: 'EUR',
};
const free: PricingPlan = { id: 'free', name: 'Free', type: 'FREE' };
const paid: PricingPlan = { id: 'paid', name: 'Paid', type: 'COMMERCIAL', products: [product] };
const request: PricingPlan = { id: 'request', name: 'Request', type: 'ON_REQUEST', contact: 'lab@example.org' };

const pointersOf = (plans: readonly PricingPlan[], type: 'MANAGED' | 'ON_PREMISE' = 'MANAGED'): string[] => {
  try {
    checkPlans(plans, type);
    return [];
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-request')
      return (error.errors ?? []).map(({ pointer }) => pointer);
    throw error;
  }
};

test('plans of every type fit together, and prices become their shortest form', () => {
  const [, commercial] = checkPlans([free, paid, request], 'MANAGED');
  expect(commercial?.products?.[0]?.unitPrice).toBe('0.5');
});

test.each<[string, PricingPlan[], string[]]>([
  ['two plans of one id', [free, { ...free }], ['/pricingPlans/1/id']],
  ['two products of one id', [{ ...paid, products: [product, product] }], ['/pricingPlans/0/products/1/id']],
  ['a commercial plan without products', [{ ...paid, products: [] }], ['/pricingPlans/0/products']],
  ['a free plan with products', [{ ...free, products: [product] }], ['/pricingPlans/0/products']],
  ['a plan on request without contact', [{ id: 'x', name: 'X', type: 'ON_REQUEST' }], ['/pricingPlans/0/contact']],
  ['a free plan with a contact', [{ ...free, contact: 'x' }], ['/pricingPlans/0/contact']],
  [
    'what is reported, of a service that the platform runs',
    [{ ...paid, products: [{ ...product, metering: 'REPORTED' }] }],
    ['/pricingPlans/0/products/0/metering'],
  ],
])('%s: refused', (_what, plans, pointers) => expect(pointersOf(plans)).toEqual(pointers));

test('of an on-premise service only what its provider reports can be charged', () => {
  expect(pointersOf([paid], 'ON_PREMISE')).toEqual(['/pricingPlans/0/products/0/metering']);
  expect(pointersOf([{ ...paid, products: [{ ...product, metering: 'REPORTED' }] }], 'ON_PREMISE')).toEqual([]);
});
