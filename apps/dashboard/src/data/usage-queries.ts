import type { AuditEntry, Registration } from '@kethub/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { linkedPage } from './linked-page.ts';
import { PAGE, type Here } from './queries.ts';

export type Side = 'costs' | 'revenue';

/** Costs or earnings of a month. A month that is over does not change any more. */
export const monthQuery = ({ base, platform }: Here, side: Side, month: string, isOver: boolean) =>
  queryOptions({
    queryKey: [base, 'usage', side, month],
    queryFn: ({ signal }) =>
      side === 'costs' ? platform.readCosts({ month, signal }) : platform.readRevenue({ month, signal }),
    staleTime: isOver ? 600_000 : 30_000,
  });

export const storageQuery = ({ base, platform }: Here) =>
  queryOptions({
    queryKey: [base, 'storage'],
    queryFn: ({ signal }) => platform.getStorage({ signal }),
    staleTime: 30_000,
  });

export const auditQuery = (
  { base, platform }: Here,
  filter: { readonly action?: string; readonly resourceId?: string },
) =>
  infiniteQueryOptions({
    queryKey: [base, 'audit', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      linkedPage<AuditEntry>(
        platform.readAuditLog.response({
          limit: PAGE,
          ...filter,
          ...(pageParam !== null && { cursor: pageParam }),
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });

export const providerTokensQuery = ({ base, platform }: Here) =>
  queryOptions({
    queryKey: [base, 'provider-tokens'],
    queryFn: ({ signal }) => platform.listProviderAccessTokens({ signal }),
  });

/** Milliseconds after which the state of the installation is read again, as long as its page is shown. */
const STATUS_MS = 15_000;

export const platformStatusQuery = ({ platform }: Pick<Here, 'platform'>) =>
  queryOptions({
    queryKey: ['platform-status'],
    queryFn: ({ signal }) => platform.getPlatformStatus({ signal }),
    refetchInterval: STATUS_MS,
  });

export const registrationsQuery = (
  { platform }: Pick<Here, 'platform'>,
  filter: { readonly status?: Registration['status']; readonly email?: string },
) =>
  infiniteQueryOptions({
    queryKey: ['registrations', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      linkedPage<Registration>(
        platform.listRegistrations.response({
          limit: PAGE,
          ...filter,
          ...(pageParam !== null && { cursor: pageParam }),
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });
