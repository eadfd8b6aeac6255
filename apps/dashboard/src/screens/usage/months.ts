import type { MonthlyUsage } from '@kethub/contract';
import { csvOf } from '../../viewers/shape.ts';

/** The month of a moment and the ones before it, in UTC as `yyyy-MM`, the newest last. */
export function monthsUntil(now: Date, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index), 1));
    return month.toISOString().slice(0, 7);
  });
}

const names = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortNames = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });

export function monthInWords(month: string): string {
  return names.format(new Date(`${month}-01T00:00:00Z`));
}

export function shortMonth(month: string): string {
  return shortNames.format(new Date(`${month}-01T00:00:00Z`));
}

/** Sums of months in one currency, as they are drawn. The text keeps every digit. */
export interface Bar {
  readonly month: string;
  readonly text: string;
  readonly value: number;
}

/** Bars for each currency, in the order of the alphabet; a month without one has the sum 0. */
export function barsOf(usages: readonly MonthlyUsage[]): ReadonlyMap<string, readonly Bar[]> {
  const currencies = [...new Set(usages.flatMap(({ totals }) => totals.map(({ currency }) => currency)))].toSorted();
  return new Map(
    currencies.map((currency) => [
      currency,
      usages.map(({ month, totals }) => {
        const text = totals.find((one) => one.currency === currency)?.cost ?? '0';
        return { month, text, value: Number(text) };
      }),
    ]),
  );
}

/** The lines of a month as CSV. */
export function csvOfMonth({ month, lines }: MonthlyUsage): string {
  const columns = [
    'month',
    'service',
    'version',
    'plan',
    'product',
    'amount',
    'unit',
    'unit price',
    'cost',
    'currency',
  ];
  return csvOf(
    columns,
    lines.map((one) => [
      month,
      one.serviceName,
      one.version,
      one.pricingPlan,
      one.product,
      one.amount,
      one.unit,
      one.unitPrice,
      one.cost,
      one.currency,
    ]),
  );
}
