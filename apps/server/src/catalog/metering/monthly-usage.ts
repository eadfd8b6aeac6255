import {
  costOf,
  fromMicros,
  fromMinorUnits,
  type MonthlyUsage,
  type MonthlyUsageLine,
  type Product,
} from '@kethub/contract';
import type { Context, Platform } from '../../foundation/platform.ts';
import { readAcceptedPlan, type AcceptedPlan } from './accepted-plans.ts';
import { commercialPlansOf, sumUsage, type Side } from './queries.ts';

/** A line while it is added up: millionths of the unit, and minor units of the currency. */
interface Line {
  readonly accepted: AcceptedPlan;
  readonly product: Product;
  amount: bigint;
  cost: bigint;
}

/** The charges or the revenue of an owner in a month. A provider does not learn who the consumers are. */
export async function readMonthlyUsage(
  { database }: Platform,
  side: Side,
  context: Context,
  month: string,
): Promise<MonthlyUsage> {
  const sums = await sumUsage(database, side, context, month);
  const rows = await commercialPlansOf(database.read, [...new Set(sums.map(({ subscriptionId }) => subscriptionId))]);
  const plans = new Map(rows.map((row) => [row.subscription_id, readAcceptedPlan(row)]));
  const lines = new Map<string, Line>();
  for (const { subscriptionId, product: id, amount } of sums) {
    const accepted = plans.get(subscriptionId);
    const product = accepted?.plan.products?.find((one) => one.id === id);
    // Use without a plan that charges for it costs nothing.
    if (!accepted || !product) continue;
    const { service_id, version, plan } = accepted;
    const key = JSON.stringify([service_id, version, plan.id, plan.name, product]);
    const line = lines.get(key) ?? { accepted, product, amount: 0n, cost: 0n };
    line.amount += amount;
    line.cost += costOf(amount, product.unitPrice, product.currency);
    lines.set(key, line);
  }
  return { month, lines: presentAll([...lines.values()]), totals: totalsOf([...lines.values()]) };
}

function presentAll(lines: readonly Line[]): MonthlyUsageLine[] {
  return lines.map(present).toSorted((a, b) => compare(orderOf(a), orderOf(b)));
}

function present({ accepted, product, amount, cost }: Line): MonthlyUsageLine {
  return {
    serviceId: accepted.service_id,
    serviceName: accepted.service_name,
    version: accepted.version,
    pricingPlanId: accepted.plan.id,
    pricingPlan: accepted.plan.name,
    productId: product.id,
    product: product.name,
    unit: product.unit,
    unitPrice: product.unitPrice,
    currency: product.currency,
    amount: fromMicros(amount),
    cost: fromMinorUnits(cost, product.currency),
  };
}

function orderOf(line: MonthlyUsageLine): string[] {
  const { serviceName, serviceId, version, pricingPlanId, productId, currency, unitPrice } = line;
  return [serviceName, serviceId, version, pricingPlanId, productId, currency, unitPrice];
}

function compare(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((text, position) => text !== b[position]);
  return index < 0 ? 0 : (a[index] ?? '') < (b[index] ?? '') ? -1 : 1;
}

function totalsOf(lines: readonly Line[]): MonthlyUsage['totals'] {
  const totals = new Map<string, bigint>();
  for (const { product, cost } of lines) totals.set(product.currency, (totals.get(product.currency) ?? 0n) + cost);
  return [...totals]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, cost]) => ({ currency, cost: fromMinorUnits(cost, currency) }));
}
