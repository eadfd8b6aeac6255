import { queryOptions } from '@tanstack/react-query';
import type { Here } from './queries.ts';

export const sharesQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'shares'],
    queryFn: ({ signal }) => platform.listShares({ serviceId, signal }),
  });

/** A service of somebody else, as its recipient sees it. */
export const sharedServiceQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'shared-service', serviceId],
    queryFn: ({ signal }) => platform.getSharedService({ serviceId, signal }),
    staleTime: 5_000,
  });
