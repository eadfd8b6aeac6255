import { expect, test } from 'vitest';
import { differencesOf, draftOf, listingRequestOf, NEW_PLAN, NEW_PRODUCT } from './listing-draft.ts';

const listing = {
  serviceId: '0189',
  title: 'Solver',
  version: '1.0.0',
  summary: 'Solves.',
  documentation: '# Use',
  categories: ['OPTIMIZATION' as const],
  pricingPlans: [
    { id: 'free', name: 'Free', type: 'FREE' as const },
    { id: 'special', name: 'Special', type: 'ON_REQUEST' as const, contact: 'Write.' },
  ],
  createdAt: '',
  updatedAt: '',
};

test('an offer that nobody has changed asks for the same offer', () => {
  const { serviceId: _, createdAt: _c, updatedAt: _u, ...request } = listing;
  expect(listingRequestOf(draftOf(listing, 'Solver', ['1.0.0']))).toEqual(request);
});

test('new plans and products get ids from their names, each its own', () => {
  const product = { ...NEW_PRODUCT, unitPrice: ' 0.10 ' };
  const paid = { ...NEW_PLAN, name: 'Per run!', type: 'COMMERCIAL' as const, products: [product, product] };
  const draft = { ...draftOf(null, 'Solver', ['1.0.0']), plans: [paid, paid, { ...paid, name: '试', products: [] }] };
  const { pricingPlans } = listingRequestOf(draft);
  expect(pricingPlans.map(({ id }) => id)).toEqual(['per-run', 'per-run-2', 'plan']);
  expect(pricingPlans[0]?.products?.map(({ id, unitPrice }) => [id, unitPrice])).toEqual([
    ['executions', '0.10'],
    ['executions-2', '0.10'],
  ]);
});

test('both versions of an offer are compared in words', () => {
  const mine = draftOf(listing, 'Solver', []);
  const theirs = { ...mine, title: 'Better solver', plans: mine.plans.slice(0, 1) };
  expect(differencesOf(mine, theirs).filter(({ mine, theirs }) => mine !== theirs)).toEqual([
    { label: 'Title', mine: 'Solver', theirs: 'Better solver' },
    { label: 'Plans', mine: 'Free: costs nothing\nSpecial: Write.', theirs: 'Free: costs nothing' },
  ]);
});
