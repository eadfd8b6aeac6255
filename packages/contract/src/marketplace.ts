import { Type, type Static } from 'typebox';
import { Id, Request, Timestamp, Version } from './fields.ts';
import { limits } from './limits.ts';
import { currencies } from './money.ts';
import { DeclaredHosts, ServiceParameter } from './services.ts';
import { NOT_BLANK, worded } from './patterns.ts';

/** Categories of services in the marketplace. */
export const categories = [
  'CHEMISTRY',
  'CRYPTOGRAPHY',
  'DATA_PROCESSING',
  'EDUCATION',
  'ENERGY',
  'FINANCE',
  'LOGISTICS',
  'MACHINE_LEARNING',
  'MATHEMATICS',
  'MATERIALS',
  'OPTIMIZATION',
  'SIMULATION',
  'TOOLS',
  'OTHER',
] as const;
export type Category = (typeof categories)[number];
const Category = Type.Enum([...categories]);

export const pricingPlanTypes = ['FREE', 'COMMERCIAL', 'ON_REQUEST'] as const;
export type PricingPlanType = (typeof pricingPlanTypes)[number];

/** Metered amounts: successful executions, their run time, their CPU time, or the usage that the provider reports. */
export const meterings = ['EXECUTION', 'RUN_SECONDS', 'CPU_SECONDS', 'REPORTED'] as const;
export type Metering = (typeof meterings)[number];

/** A stable id that the provider chooses, for references by subscriptions and reported usage. */
export const ChosenId = Type.String({
  pattern: worded(
    '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$',
    'must be 1 to 64 of a-z, 0-9 and -, and neither begin nor end with -',
  ),
  description: 'Chosen by the provider: lower case letters, digits and hyphens.',
  examples: ['basic'],
});
const Name = Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK });
const Currency = Type.Enum([...currencies], { description: 'ISO 4217.' });
/** A decimal number as text, at most 999,999,999.999999. */
export const Decimal = Type.String({
  pattern: worded(
    String.raw`^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$`,
    'must be a decimal number such as 0.25, with at most 6 digits after the point',
  ),
  description: 'A decimal number as text, with at most six decimals.',
  examples: ['0.05'],
});

export const Product = Request(
  {
    id: ChosenId,
    name: Name,
    metering: Type.Enum([...meterings], {
      description: 'REPORTED by the provider of an on-premise service; the others are counted by the platform.',
    }),
    unit: Type.String({ minLength: 1, maxLength: 50, pattern: NOT_BLANK, examples: ['execution'] }),
    unitPrice: Decimal,
    currency: Currency,
  },
  { $id: 'Product', description: 'Something that a commercial plan charges for.' },
);
export type Product = Static<typeof Product>;

export const PricingPlan = Request(
  {
    id: ChosenId,
    name: Name,
    type: Type.Enum([...pricingPlanTypes]),
    products: Type.Optional(
      Type.Array(Product, {
        maxItems: limits.productsOfPlan,
        description: 'Products of a COMMERCIAL plan: at least one.',
      }),
    ),
    contact: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.contactLength,
        pattern: NOT_BLANK,
        description: 'For an ON_REQUEST plan: the way to reach the provider.',
      }),
    ),
  },
  { $id: 'PricingPlan' },
);
export type PricingPlan = Static<typeof PricingPlan>;

const listingFields = {
  version: Version,
  categories: Type.Array(Category, { uniqueItems: true, maxItems: categories.length }),
  pricingPlans: Type.Array(PricingPlan, { minItems: 1, maxItems: limits.pricingPlans }),
};

export const ListingRequest = Request(
  {
    ...listingFields,
    title: Type.Optional({ ...Name, description: 'Without it, the name of the service.' }),
    summary: Type.Optional(Type.String({ maxLength: limits.summaryLength })),
    documentation: Type.Optional(Type.String({ maxLength: limits.documentationLength, description: 'Markdown.' })),
  },
  { $id: 'ListingRequest' },
);
export type ListingRequest = Static<typeof ListingRequest>;

export const Listing = Type.Object(
  {
    serviceId: Id,
    ...listingFields,
    title: Type.String(),
    summary: Type.String(),
    documentation: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Listing', description: 'The offer of a service in the marketplace.' },
);
export type Listing = Static<typeof Listing>;

const Provider = Type.Object(
  { type: Type.Enum(['USER', 'ORGANIZATION']), id: Type.String(), name: Type.String() },
  { $id: 'Provider' },
);

const offered = {
  serviceId: Id,
  title: Type.String(),
  summary: Type.String(),
  categories: Type.Array(Category),
  provider: Provider,
  version: Version,
  publishedAt: Timestamp,
};

export const MarketplaceEntry = Type.Object(
  { ...offered, pricing: Type.Array(Type.Enum([...pricingPlanTypes]), { description: 'Types of its plans.' }) },
  { $id: 'MarketplaceEntry' },
);
export type MarketplaceEntry = Static<typeof MarketplaceEntry>;

export const MarketplaceService = Type.Object(
  {
    ...offered,
    description: Type.String({ description: 'Description of the service.' }),
    documentation: Type.String({ description: 'Markdown.' }),
    pricingPlans: Type.Array(PricingPlan),
    parameters: Type.Optional(Type.Array(ServiceParameter, { description: 'The parameters that the service takes.' })),
    hosts: Type.Optional(DeclaredHosts),
    _links: Type.Object({
      apiSpecification: Type.Optional(
        Type.Object(
          { href: Type.String({ format: 'uri' }) },
          { description: 'The OpenAPI document of the offered version; none where the service runs elsewhere.' },
        ),
      ),
    }),
  },
  { $id: 'MarketplaceService' },
);
export type MarketplaceService = Static<typeof MarketplaceService>;

export const Month = Type.String({
  pattern: worded(String.raw`^\d{4}-(?:0[1-9]|1[0-2])$`, 'must be a month such as 2026-01'),
  description: 'yyyy-MM, in UTC.',
  examples: ['2026-01'],
});

const Money = Type.String({ description: 'With the decimals of the currency.', examples: ['12.50'] });

export const MonthlyUsageLine = Type.Object(
  {
    serviceId: Id,
    serviceName: Type.String(),
    version: Version,
    pricingPlanId: Type.String(),
    pricingPlan: Type.String(),
    productId: Type.String(),
    product: Type.String(),
    unit: Type.String(),
    unitPrice: Type.String(),
    currency: Type.String(),
    amount: Type.String({ description: 'Units, as a decimal number.' }),
    cost: Money,
  },
  { $id: 'MonthlyUsageLine' },
);
export type MonthlyUsageLine = Static<typeof MonthlyUsageLine>;

export const MonthlyUsage = Type.Object(
  {
    month: Month,
    lines: Type.Array(MonthlyUsageLine),
    totals: Type.Array(Type.Object({ currency: Type.String(), cost: Money }), { description: 'One per currency.' }),
  },
  {
    $id: 'MonthlyUsage',
    description:
      'Use in a month, by service, plan, product and price. Usage is added up exactly. Its cost is rounded once for each subscription and product, half up to the minor unit of the currency. The total is the sum of these.',
  },
);
export type MonthlyUsage = Static<typeof MonthlyUsage>;
