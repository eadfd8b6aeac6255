import type { Category, Metering, PricingPlan, PricingPlanType, Product } from '@kethub/contract';

/** The categories of the marketplace in words. */
export const CATEGORIES: Readonly<Record<Category, string>> = {
  CHEMISTRY: 'Chemistry',
  CRYPTOGRAPHY: 'Cryptography',
  DATA_PROCESSING: 'Data processing',
  EDUCATION: 'Education',
  ENERGY: 'Energy',
  FINANCE: 'Finance',
  LOGISTICS: 'Logistics',
  MACHINE_LEARNING: 'Machine learning',
  MATHEMATICS: 'Mathematics',
  MATERIALS: 'Materials',
  OPTIMIZATION: 'Optimization',
  SIMULATION: 'Simulation',
  TOOLS: 'Tools',
  OTHER: 'Other',
};

export const CATEGORY_CHOICES = Object.entries(CATEGORIES).map(([value, label]) => ({ value, label }));

export function isCategory(text: unknown): text is Category {
  return typeof text === 'string' && Object.hasOwn(CATEGORIES, text);
}

export const PLAN_TYPES: Readonly<Record<PricingPlanType, string>> = {
  FREE: 'Free',
  COMMERCIAL: 'Paid by use',
  ON_REQUEST: 'On request',
};

export const METERINGS: Readonly<Record<Metering, string>> = {
  EXECUTION: 'each successful execution',
  RUN_SECONDS: 'each second of run time',
  CPU_SECONDS: 'each second of CPU time',
  REPORTED: 'as the provider reports',
};

/** A price in words, such as "0.10 EUR per run". */
export function priceInWords({ unitPrice, currency, unit, metering }: Product): string {
  return `${unitPrice} ${currency} per ${unit}, ${METERINGS[metering]}`;
}

/** Prices of a plan, a line each. */
export function planInWords({ type, products = [], contact }: PricingPlan): readonly string[] {
  if (type === 'FREE') return ['costs nothing'];
  if (type === 'ON_REQUEST') return [contact ?? 'Ask the provider.'];
  return products.map((product) => `${product.name}: ${priceInWords(product)}`);
}
