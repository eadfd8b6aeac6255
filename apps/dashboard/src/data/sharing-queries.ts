import type { Share } from '@kethub/contract';
import { queryOptions } from '@tanstack/react-query';
import { formQuery } from './form-query.ts';
import type { Here } from './queries.ts';
import { tagged } from './tagged.ts';

export const sharesQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'shares'],
    queryFn: ({ signal }) => platform.listShares({ serviceId, signal }),
  });

/** A share with its entity tag, as a form of its dates begins. */
export const shareQuery = ({ base, platform }: Here, serviceId: string, shareId: string) =>
  formQuery([base, 'service', serviceId, 'share', shareId], (signal) =>
    tagged<Share>(platform.getShare.response({ serviceId, shareId, signal })),
  );

/** A service of somebody else, as its recipient sees it. */
export const sharedServiceQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'shared-service', serviceId],
    queryFn: ({ signal }) => platform.getSharedService({ serviceId, signal }),
    staleTime: 5_000,
  });
