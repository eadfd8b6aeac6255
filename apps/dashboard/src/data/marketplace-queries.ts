import type { Category, Listing, MarketplaceEntry, ServiceSubscription } from '@kethub/contract';
import { KethubError } from '@kethub/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { linkedPage } from './linked-page.ts';
import { PAGE, type Here } from './queries.ts';
import { tagged, type Tagged } from './tagged.ts';

export const marketplaceQuery = (
  { platform }: Pick<Here, 'platform'>,
  filter: { readonly q?: string; readonly category?: Category },
) =>
  infiniteQueryOptions({
    queryKey: ['marketplace', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      linkedPage<MarketplaceEntry>(
        platform.browseMarketplace.response({
          limit: PAGE,
          ...filter,
          ...(pageParam !== null && { cursor: pageParam }),
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    staleTime: 10_000,
  });

export const offerQuery = ({ platform }: Pick<Here, 'platform'>, serviceId: string) =>
  queryOptions({
    queryKey: ['offer', serviceId],
    queryFn: ({ signal }) => platform.getMarketplaceService({ serviceId, signal }),
    staleTime: 10_000,
  });

/** Offer of a service with its entity tag; null when there is none. */
export const listingQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'listing'],
    queryFn: ({ signal }) => listingOf(platform, serviceId, signal),
  });

export async function listingOf(
  platform: Here['platform'],
  serviceId: string,
  signal?: AbortSignal,
): Promise<Tagged<Listing> | null> {
  try {
    return await tagged<Listing>(platform.getListing.response({ serviceId, signal }));
  } catch (error) {
    if (error instanceof KethubError && error.status === 404) return null;
    throw error;
  }
}

export const serviceLimitsQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'limits'],
    queryFn: ({ signal }) => platform.getServiceLimits({ serviceId, signal }),
    staleTime: 5_000,
  });

export const subscribersQuery = ({ base, platform }: Here, serviceId: string) =>
  infiniteQueryOptions({
    queryKey: [base, 'service', serviceId, 'subscribers'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      linkedPage<ServiceSubscription>(
        platform.listServiceSubscriptions.response({
          serviceId,
          limit: PAGE,
          ...(pageParam !== null && { cursor: pageParam }),
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });
