import type {
  Category,
  Listing,
  ListingRequest,
  MarketplaceEntry,
  MarketplaceService,
  MonthlyUsage,
} from '@kethub/contract';
import { path, query, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export interface MarketplaceQuery {
  /** Part of a title, a summary or the name of a provider. */
  readonly q?: string | undefined;
  readonly category?: Category | undefined;
  /** All when left out. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The part of the platform interface that is about the marketplace and what its use costs. */
export function marketplaceAt(connection: Connection) {
  return {
    /** What is offered, newest first. */
    marketplace: (asked: MarketplaceQuery = {}, options?: CallOptions) =>
      sendForJson<MarketplaceEntry[]>(connection, { path: `/marketplace/services${query(asked)}`, ...options }),
    marketplaceService: (id: string, options?: CallOptions) =>
      sendForJson<MarketplaceService>(connection, { path: path`/marketplace/services/${id}`, ...options }),
    listing: (id: string, options?: CallOptions) =>
      sendForJson<Listing>(connection, { path: path`/services/${id}/listing`, ...options }),
    publishListing: (id: string, listing: ListingRequest, options?: CallOptions) =>
      sendForJson<Listing>(connection, {
        method: 'PUT',
        path: path`/services/${id}/listing`,
        json: listing,
        ...options,
      }),
    unpublishListing: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/services/${id}/listing`, ...options }),
    /** What a month (`yyyy-MM`, UTC) has cost. */
    costs: (month: string, options?: CallOptions) =>
      sendForJson<MonthlyUsage>(connection, {
        path: `/usage/costs?${new URLSearchParams({ month }).toString()}`,
        ...options,
      }),
    /** What a month (`yyyy-MM`, UTC) has earned. */
    revenue: (month: string, options?: CallOptions) =>
      sendForJson<MonthlyUsage>(connection, {
        path: `/usage/revenue?${new URLSearchParams({ month }).toString()}`,
        ...options,
      }),
  };
}
