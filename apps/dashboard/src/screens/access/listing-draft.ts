import type { Category, Listing, ListingRequest, Metering, PricingPlan, PricingPlanType } from '@kethub/contract';
import { planInWords } from '../../look/market.ts';

/** An offer as the inputs of its form hold it. */
export interface ListingDraft {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly documentation: string;
  readonly categories: readonly Category[];
  readonly plans: readonly PlanDraft[];
}

export interface PlanDraft {
  /** Empty for a plan that the form has made: its name becomes its id. */
  readonly id: string;
  readonly name: string;
  readonly type: PricingPlanType;
  readonly contact: string;
  readonly products: readonly ProductDraft[];
}

export interface ProductDraft {
  readonly id: string;
  readonly name: string;
  readonly metering: Metering;
  readonly unit: string;
  readonly unitPrice: string;
  readonly currency: string;
}

export const NEW_PRODUCT: ProductDraft = {
  id: '',
  name: 'Executions',
  metering: 'EXECUTION',
  unit: 'execution',
  unitPrice: '',
  currency: 'EUR',
};
export const NEW_PLAN: PlanDraft = { id: '', name: '', type: 'FREE', contact: '', products: [] };

export function draftOf(listing: Listing | null, name: string, versions: readonly string[]): ListingDraft {
  if (!listing)
    return {
      title: name,
      version: versions[0] ?? '',
      summary: '',
      documentation: '',
      categories: [],
      plans: [{ ...NEW_PLAN, name: 'Free' }],
    };
  const { title, version, summary, documentation, categories, pricingPlans } = listing;
  const plans = pricingPlans.map(({ id, name, type, contact = '', products = [] }) => ({
    id,
    name,
    type,
    contact,
    products,
  }));
  return { title, version, summary, documentation, categories, plans };
}

export function listingRequestOf(draft: ListingDraft): ListingRequest {
  return {
    title: draft.title.trim(),
    version: draft.version,
    summary: draft.summary.trim(),
    documentation: draft.documentation,
    categories: [...draft.categories],
    pricingPlans: withIds(draft.plans).map(planOf),
  };
}

function planOf({ id, name, type, contact, products }: PlanDraft): PricingPlan {
  return {
    id,
    name: name.trim(),
    type,
    ...(type === 'ON_REQUEST' && { contact: contact.trim() }),
    ...(type === 'COMMERCIAL' && {
      products: withIds(products).map((one) => ({
        ...one,
        name: one.name.trim(),
        unit: one.unit.trim(),
        unitPrice: one.unitPrice.trim(),
      })),
    }),
  };
}

/** Gives each one without an id an id of its own, made from its name. */
function withIds<T extends { readonly id: string; readonly name: string }>(all: readonly T[]): readonly T[] {
  const taken = new Set(all.map(({ id }) => id));
  return all.map((one) => {
    if (one.id !== '') return one;
    const base = idOf(one.name);
    let id = base;
    for (let number = 2; taken.has(id); number++) id = `${base.slice(0, 58)}-${number}`;
    taken.add(id);
    return { ...one, id };
  });
}

function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  return id === '' ? 'plan' : id;
}

/** Every part of an offer in words, of the form and of what is saved. */
export function differencesOf(
  mine: ListingDraft,
  theirs: ListingDraft,
): readonly { readonly label: string; readonly mine: string; readonly theirs: string }[] {
  const parts: readonly (readonly [string, (draft: ListingDraft) => string])[] = [
    ['Title', ({ title }) => title],
    ['Version', ({ version }) => version],
    ['Summary', ({ summary }) => summary],
    ['Categories', ({ categories }) => categories.join(', ')],
    ['Documentation', ({ documentation }) => documentation],
    ['Plans', ({ plans }) => withIds(plans).map(planOf).map(lineOf).join('\n')],
  ];
  return parts.map(([label, of]) => ({ label, mine: of(mine), theirs: of(theirs) }));
}

function lineOf(plan: PricingPlan): string {
  return `${plan.name}: ${planInWords(plan).join('; ')}`;
}
