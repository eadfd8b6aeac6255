import type { Subscription } from '@kethub/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextCursor, PAGE, type Here } from './queries.ts';

export const applicationsQuery = ({ base, platform }: Here) =>
  infiniteQueryOptions({
    queryKey: [base, 'applications'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listApplications({ limit: PAGE, ...(pageParam !== null && { cursor: pageParam }), signal }),
    getNextPageParam: nextCursor,
    staleTime: 10_000,
  });

export const applicationQuery = ({ base, platform }: Here, applicationId: string) =>
  queryOptions({
    queryKey: [base, 'application', applicationId],
    queryFn: ({ signal }) => platform.getApplication({ applicationId, signal }),
    staleTime: 5_000,
  });

export const subscriptionsQuery = ({ base, platform }: Here, applicationId: string) =>
  infiniteQueryOptions({
    queryKey: [base, 'application', applicationId, 'subscriptions'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listSubscriptions({
        applicationId,
        limit: PAGE,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

/** Parameters of the service of a subscription, and whether it runs elsewhere. Who offers it decides where that stands. */
export const calledQuery = ({ base, platform }: Here, { basis, serviceId, version }: Called) =>
  queryOptions({
    queryKey: [base, 'called', basis, serviceId, version],
    staleTime: Infinity,
    retry: false,
    async queryFn({ signal }) {
      switch (basis) {
        case 'INTERNAL': {
          const { parameters = [], target } = await platform.getServiceVersion({ serviceId, version, signal });
          return { parameters, isElsewhere: target !== undefined };
        }
        case 'SHARE': {
          const { type, versions } = await platform.getSharedService({ serviceId, signal });
          const { parameters = [] } = versions.find((one) => one.version === version) ?? {};
          return { parameters, isElsewhere: type === 'ON_PREMISE' };
        }
        default: {
          const { parameters, _links } = await platform.getMarketplaceService({ serviceId, signal });
          const isElsewhere = parameters === undefined && _links.apiSpecification === undefined;
          return { parameters: parameters ?? [], isElsewhere };
        }
      }
    },
  });

type Called = Pick<Subscription, 'basis' | 'serviceId' | 'version'>;

/** Services of others that are open to the person or the organization. */
export const sharedServicesQuery = ({ base, platform }: Here) =>
  infiniteQueryOptions({
    queryKey: [base, 'shared-services'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listSharedServices({ limit: PAGE, ...(pageParam !== null && { cursor: pageParam }), signal }),
    getNextPageParam: nextCursor,
    staleTime: 10_000,
  });

/** Element templates of the services that an application has subscribed to: their parameters, also of strangers' services. */
export const elementTemplatesQuery = ({ base, platform }: Here, applicationId: string) =>
  queryOptions({
    queryKey: [base, 'application', applicationId, 'element-templates'],
    queryFn: ({ signal }) => platform.listElementTemplates({ applicationId, signal }),
    staleTime: 5_000,
  });
