import {
  toTimestamp,
  type Category,
  type Listing,
  type MarketplaceEntry,
  type MarketplaceService,
  type PricingPlan,
} from '@kethub/contract';
import type { Platform } from '../../foundation/platform.ts';
import { declaredHosts } from '../services/index.ts';
import type { ListingRow } from '../../foundation/storage/index.ts';
import type { findOffer, Offered } from './queries.ts';

/** Parses JSON of a row, which this program validated when it wrote it. */
function stored<T>(json: string): T {
  return JSON.parse(json) as T;
}

export function plansOf({ pricing_plans }: Pick<ListingRow, 'pricing_plans'>): PricingPlan[] {
  return stored(pricing_plans);
}

export function presentListing(row: Omit<ListingRow, 'number'>, version: string): Listing {
  return {
    serviceId: row.service_id,
    version,
    title: row.title,
    summary: row.summary,
    documentation: row.documentation,
    categories: stored<Category[]>(row.categories),
    pricingPlans: plansOf(row),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}

function presentOffered(row: Offered) {
  return {
    serviceId: row.service_id,
    title: row.title,
    summary: row.summary,
    categories: stored<Category[]>(row.categories),
    provider: { type: row.owner_type, id: row.owner_id, name: row.provider_name },
    version: row.version,
    publishedAt: toTimestamp(row.created_at),
  };
}

export function presentEntry(row: Offered): MarketplaceEntry {
  return { ...presentOffered(row), pricing: [...new Set(plansOf(row).map(({ type }) => type))] };
}

/**
 * Presents an offer. Of the version's configuration it shows only the hosts that it calls, and never source or
 * environment.
 */
export function presentOffer(
  { addresses }: Platform,
  row: NonNullable<Awaited<ReturnType<typeof findOffer>>>,
): MarketplaceService {
  const href = `${addresses.api}/marketplace/services/${row.service_id}/api-specification`;
  return {
    ...presentOffered(row),
    description: row.description,
    documentation: row.documentation,
    pricingPlans: plansOf(row),
    ...(row.parameters !== null && { parameters: stored(row.parameters) }),
    ...declaredHosts(row.configuration),
    _links: row.type === 'MANAGED' ? { apiSpecification: { href } } : {},
  };
}
