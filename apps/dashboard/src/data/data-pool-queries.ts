import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextCursor, PAGE, type Here } from './queries.ts';

export const dataPoolQuery = ({ base, platform }: Here, dataPoolId: string) =>
  queryOptions({
    queryKey: [base, 'data-pool', dataPoolId],
    queryFn: ({ signal }) => platform.getDataPool({ dataPoolId, signal }),
    staleTime: 5_000,
  });

export const poolFilesQuery = ({ base, platform }: Here, dataPoolId: string) =>
  infiniteQueryOptions({
    queryKey: [base, 'data-pool', dataPoolId, 'files'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listDataPoolFiles({ dataPoolId, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }), signal }),
    getNextPageParam: nextCursor,
  });

export const poolMembersQuery = ({ base, platform }: Here, dataPoolId: string) =>
  queryOptions({
    queryKey: [base, 'data-pool', dataPoolId, 'members'],
    queryFn: ({ signal }) => platform.listDataPoolMembers({ dataPoolId, signal }),
  });

/** People that one request names at most. */
const PEOPLE = 200;

/** Names of people by their ids. Those who left the platform are not among them. */
export const namesQuery = ({ platform }: Here, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['names', ids],
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      for (let at = 0; at < ids.length; at += PEOPLE) {
        const { users } = await platform.getUsers({ json: { ids: ids.slice(at, at + PEOPLE) }, signal });
        for (const { id, firstname, lastname } of users) names.set(id, `${firstname} ${lastname}`);
      }
      return names;
    },
    enabled: ids.length > 0,
    staleTime: 300_000,
    structuralSharing: false,
  });

export const peopleQuery = ({ platform }: Here, q: string) =>
  queryOptions({
    queryKey: ['people', q],
    queryFn: ({ signal }) => platform.searchUsers({ q, signal }),
    enabled: q.trim() !== '',
    staleTime: 60_000,
  });

/** Organizations that have exactly this name or id. */
export const organizationsNamedQuery = ({ platform }: Here, q: string) =>
  queryOptions({
    queryKey: ['organizations-named', q],
    queryFn: ({ signal }) => platform.findOrganizations({ q, signal }),
    enabled: q !== '',
    staleTime: 60_000,
  });
