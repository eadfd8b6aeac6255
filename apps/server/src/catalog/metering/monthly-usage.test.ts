import type { MonthlyUsage, PricingPlan, Product } from '@kethub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../foundation/platform.ts';
import { isDuplicate } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { commercialPlan } from '../../testing/marketplace.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { acceptPlan, findAcceptedPlan, type Party } from './accepted-plans.ts';
import { readMonthlyUsage } from './monthly-usage.ts';
import { usageRow } from './record-usage.ts';

const ada: Party = { type: 'USER', id: 'ada' };
const bob: Party = { type: 'USER', id: 'bob' };
const lab: Party = { type: 'ORGANIZATION', id: 'lab' };
const MILLION = 1_000_000;
const MARCH = Date.parse('2026-03-20T00:00:00.000Z');

describe.each(databases())('a month of usage on $name', ({ open }) => {
  let platform: TestPlatform;
  let subscriptions = 0;

  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });
  afterAll(() => platform.close());
  afterEach(async () => {
    for (const table of ['usage_records', 'accepted_plans'] as const)
      await platform.database.write((transaction) => transaction.deleteFrom(table).execute());
  });

  async function accepted(consumer: Party, plan: PricingPlan, serviceId = 'service'): Promise<string> {
    const subscription_id = `subscription ${(subscriptions += 1)}`;
    await platform.database.write((transaction) =>
      acceptPlan(transaction, {
        subscription_id,
        application_id: 'application',
        service_id: serviceId,
        service_version_id: 'version',
        service_name: 'Solver',
        version: '1.0.0',
        type: plan.type === 'FREE' ? 'FREE' : 'COMMERCIAL',
        plan,
        consumer_type: consumer.type,
        consumer_id: consumer.id,
        provider_type: lab.type,
        provider_id: lab.id,
        accepted_at: 0,
      }),
    );
    return subscription_id;
  }

  interface Used {
    readonly at?: string;
    readonly amount?: number;
    readonly test?: boolean;
    readonly product?: string;
    readonly executionId?: string;
  }
  async function use(subscriptionId: string, used: Used = {}): Promise<void> {
    const { at = '2026-03-15T12:00:00.000Z', amount = MILLION, test: isTest = false, product: id = 'runs' } = used;
    await platform.database.write(async (transaction) => {
      const plan = await findAcceptedPlan(transaction, subscriptionId);
      const product = plan?.plan.products?.find((one) => one.id === id);
      if (!plan || !product) throw new Error('No such product was accepted');
      const consumer: Party = { type: plan.consumer_type, id: plan.consumer_id };
      const occurredAt = Date.parse(at);
      const usage = { product, amount, executionId: used.executionId ?? null, consumer, occurredAt, test: isTest };
      await transaction
        .insertInto('usage_records')
        .values(usageRow(platform, plan, usage))
        .execute();
    });
  }

  const read = async (side: 'consumer' | 'provider', party: Party, month = '2026-03'): Promise<MonthlyUsage> => {
    const context: Context = { ...party, role: 'OWNER', personId: 'someone' };
    return readMonthlyUsage(platform, side, context, month);
  };
  const brief = ({ lines, totals }: MonthlyUsage) => [
    ...lines.map(({ productId, amount, cost, currency }) => `${productId} ${amount}: ${cost} ${currency}`),
    ...totals.map(({ currency, cost }) => `${cost} ${currency}`),
  ];

  test('is added up exactly and shown alike to both sides', async () => {
    const mine = await accepted(ada, commercialPlan('0.105'));
    const other = await accepted(bob, commercialPlan('0.105'));
    for (const subscription of [mine, mine, mine, other]) await use(subscription);
    expect(brief(await read('consumer', ada))).toEqual(['runs 3: 0.32 EUR', '0.32 EUR']);
    expect(brief(await read('consumer', bob))).toEqual(['runs 1: 0.11 EUR', '0.11 EUR']);
    // The revenue is the sum of the costs, not a sum rounded anew (0.42).
    expect(brief(await read('provider', lab))).toEqual(['runs 4: 0.43 EUR', '0.43 EUR']);
    expect(brief(await read('provider', ada))).toEqual([]);
    expect(brief(await read('consumer', lab))).toEqual([]);
  });

  test('begins and ends at midnight UTC', async () => {
    const subscription = await accepted(ada, commercialPlan('1'));
    const inMarch = ['2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'];
    for (const at of [...inMarch, '2026-02-28T23:59:59.999Z', '2026-04-01T00:00:00.000Z'])
      await use(subscription, { at });
    expect(brief(await read('consumer', ada))).toEqual(['runs 2: 2.00 EUR', '2.00 EUR']);
    expect(brief(await read('consumer', ada, '2026-02'))).toEqual(['runs 1: 1.00 EUR', '1.00 EUR']);
    expect(brief(await read('consumer', ada, '2028-02'))).toEqual([]);
    expect(await read('consumer', ada, '0001-01')).toEqual({ month: '0001-01', lines: [], totals: [] });
  });

  test('does not count test usage', async () => {
    const subscription = await accepted(ada, commercialPlan('1'));
    await use(subscription, { test: true, amount: 5 * MILLION });
    expect(brief(await read('consumer', ada))).toEqual([]);
    await use(subscription);
    expect(brief(await read('provider', lab))).toEqual(['runs 1: 1.00 EUR', '1.00 EUR']);
  });

  test('adds up each currency for itself, with its decimals', async () => {
    const yen: Product = { ...runs, id: 'shots', metering: 'REPORTED', unitPrice: '0.4', currency: 'JPY' };
    const subscription = await accepted(ada, commercialPlan('0.333333', [yen]));
    await use(subscription, { amount: 1.5 * MILLION });
    await use(subscription, { product: 'shots', amount: 3 * MILLION });
    expect(brief(await read('consumer', ada))).toEqual(['runs 1.5: 0.50 EUR', 'shots 3: 1 JPY', '0.50 EUR', '1 JPY']);
  });
  const runs = { name: 'Shots', unit: 'shot' } as const;

  test('shows a line for each price that was agreed', async () => {
    for (const price of ['0.1', '0.2']) await use(await accepted(ada, commercialPlan(price)));
    expect(brief(await read('consumer', ada))).toEqual(['runs 1: 0.10 EUR', 'runs 1: 0.20 EUR', '0.30 EUR']);
  });

  test('keeps what a free plan has recorded out of it', async () => {
    const subscription = await accepted(ada, { ...commercialPlan('1'), type: 'FREE' });
    await use(subscription);
    expect(brief(await read('consumer', ada))).toEqual([]);
  });

  test('holds more than a number or a bigint of the database does', async () => {
    const subscription = await accepted(ada, commercialPlan('999999999.999999'));
    const largest = 999_999_999_999_999;
    for (let times = 0; times < 12; times += 1) await use(subscription, { amount: largest });
    const [line] = (await read('consumer', ada)).lines;
    expect(line?.amount).toBe('11999999999.999988');
    expect(line?.cost).toBe('11999999999999976000.00');
    // Enough records to overflow a sum of 64 bits in the database.
    await platform.database.write(async (transaction) => {
      const plan = await findAcceptedPlan(transaction, subscription);
      const product = plan?.plan.products?.[0];
      if (!plan || !product) throw new Error('The plan is gone');
      const usage = { product, amount: largest, executionId: null, consumer: ada, occurredAt: MARCH, test: false };
      for (let from = 0; from < 10_000; from += 500) {
        const rows = Array.from({ length: 500 }, () => usageRow(platform, plan, usage));
        await transaction.insertInto('usage_records').values(rows).execute();
      }
    });
    expect((await read('consumer', ada)).lines[0]?.amount).toBe('10011999999999.989988');
  });

  test('an execution is charged once for a product, whatever the code does', async () => {
    const subscription = await accepted(ada, commercialPlan('1'));
    await use(subscription, { executionId: 'execution' });
    const second = use(subscription, { executionId: 'execution' });
    expect(await second.then(() => false, isDuplicate)).toBe(true);
    await use(subscription);
    await use(subscription);
    expect(brief(await read('consumer', ada))).toEqual(['runs 3: 3.00 EUR', '3.00 EUR']);
  });
});
