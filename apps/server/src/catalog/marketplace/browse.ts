import type { Category, MarketplaceService } from '@kethub/contract';
import { Problem, type Listing, type Tagged } from '../../foundation/http/index.ts';
import { serviceEndpoint, type Platform } from '../../foundation/platform.ts';
import { subscribersSpecification } from '../services/index.ts';
import { foldCase } from '../../people/search/index.ts';
import { presentEntry, presentOffer } from './present.ts';
import { findOffer, findOffered, type Offered } from './queries.ts';

interface MarketplaceQuery {
  readonly q?: string;
  readonly category?: Category;
}

/** Lists the offers of the marketplace, newest first. */
export function readMarketplace(
  { database, addresses }: Platform,
  { q = '', category }: MarketplaceQuery,
): Listing<Offered> {
  if (q.includes('\0')) throw new Problem('invalid-request', 'The query q must not hold the character U+0000.');
  const wanted = { text: q === '' ? null : foldCase(q).toWellFormed(), category: category ?? null };
  const narrowed = new URLSearchParams({ ...(q !== '' && { q }), ...(category && { category }) });
  const address = `${addresses.api}/marketplace/services`;
  return {
    address: narrowed.size > 0 ? `${address}?${narrowed.toString()}` : address,
    load: (cursor, limit) => findOffered(database, wanted, cursor, limit),
    present: presentEntry,
  };
}

/** One service of the marketplace, its documentation and its pricing plans. */
export async function readOffer(platform: Platform, serviceId: string): Promise<MarketplaceService> {
  return presentOffer(platform, await requireOffer(platform, serviceId));
}

/** The API specification of the offered version, before the caller subscribes to it. */
export async function readOfferedSpecification(platform: Platform, serviceId: string): Promise<Tagged<string>> {
  const { owner_id, slug, version, service_version_id } = await requireOffer(platform, serviceId);
  const endpoint = serviceEndpoint(platform.addresses, owner_id, slug, version).slice(0, -1);
  return subscribersSpecification(platform, serviceId, service_version_id, endpoint);
}

async function requireOffer({ database }: Platform, serviceId: string) {
  const row = await findOffer(database.read, serviceId);
  if (!row) throw new Problem('not-found', `No service ${serviceId} is offered in the marketplace.`);
  return row;
}
