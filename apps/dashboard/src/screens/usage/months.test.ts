import { expect, test } from 'vitest';
import { barsOf, csvOfMonth, monthInWords, monthsUntil } from './months.ts';

test('months in UTC, across a year', () => {
  expect(monthsUntil(new Date('2026-02-28T23:59:59Z'), 4)).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  expect(monthInWords('2026-01')).toBe('January 2026');
});

test('each currency has a bar for every month', () => {
  const usages = [
    { month: '2026-01', lines: [], totals: [{ currency: 'EUR', cost: '12.50' }] },
    { month: '2026-02', lines: [], totals: [{ currency: 'CHF', cost: '1.00' }] },
  ];
  expect([...barsOf(usages)]).toEqual([
    [
      'CHF',
      [
        { month: '2026-01', text: '0', value: 0 },
        { month: '2026-02', text: '1.00', value: 1 },
      ],
    ],
    [
      'EUR',
      [
        { month: '2026-01', text: '12.50', value: 12.5 },
        { month: '2026-02', text: '0', value: 0 },
      ],
    ],
  ]);
});

test('a hostile name of a service is no formula in a spreadsheet', () => {
  const line = {
    serviceId: '0189',
    serviceName: '=HYPERLINK("x")',
    version: '1.0.0',
    pricingPlanId: 'paid',
    pricingPlan: 'Paid',
    productId: 'runs',
    product: 'Runs',
    unit: 'run',
    unitPrice: '0.10',
    currency: 'EUR',
    amount: '3',
    cost: '0.30',
  };
  const [, row] = csvOfMonth({ month: '2026-01', lines: [line], totals: [] }).split('\r\n');
  expect(row).toBe('2026-01,"\'=HYPERLINK(""x"")",1.0.0,Paid,Runs,3,run,0.10,0.30,EUR');
});
