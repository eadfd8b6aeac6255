import { KethubError } from '@kethub/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nextCursor, PAGE, type Here } from './queries.ts';
import { tagged, type Tagged } from './tagged.ts';
import type { Implementation } from '@kethub/contract';
import { parseTime } from '../look/time.ts';

/** Bytes of a file that is shown; a larger one is only downloaded. */
export const SHOWN_BYTES = 512 * 1024;
/** Commits of one page. */
const COMMITS = 50;

/** The implementations that belong to the context or were shared with it. */
export const implementationsQuery = ({ base, platform }: Here) =>
  infiniteQueryOptions({
    queryKey: [base, 'implementations'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listImplementations({ limit: PAGE, ...(pageParam !== null && { cursor: pageParam }), signal }),
    getNextPageParam: nextCursor,
  });

export const publicImplementationsQuery = ({ platform }: Here, q: string) =>
  queryOptions({
    queryKey: ['public-implementations', q],
    queryFn: ({ signal }) => platform.listPublicImplementations({ limit: PAGE, ...(q !== '' && { q }), signal }),
    staleTime: 10_000,
  });

export const implementationQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId],
    queryFn: ({ signal }): Promise<Tagged<Implementation>> =>
      tagged(platform.getImplementation.response({ implementationId, signal })),
  });

/** The repository at a branch, tag or commit; the default branch without one. */
export interface At {
  readonly ref: string | null;
  readonly path: string;
}

const where = ({ ref, path }: At) => ({ ...(ref !== null && { ref }), ...(path !== '' && { path }) });

export const refsQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'refs'],
    queryFn: ({ signal }) => platform.listImplementationRefs({ implementationId, signal }),
  });

/** A folder; with `q` only the entries whose names contain it, also those beyond what is shown of a large folder. */
export const treeQuery = ({ base, platform }: Here, implementationId: string, at: At, q: string = '') =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'tree', at.ref, at.path, q],
    queryFn: ({ signal }) =>
      platform.readImplementationTree({ implementationId, ...where(at), ...(q !== '' && { q }), signal }),
  });

export const fileQuery = ({ base, platform }: Here, implementationId: string, at: At) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'file', at.ref, at.path],
    async queryFn({ signal }) {
      const { ref, path } = at;
      const read = { implementationId, path, ...(ref !== null && { ref }), signal };
      return (await platform.readImplementationFile(read)).blob();
    },
  });

export const commitsQuery = ({ base, platform }: Here, implementationId: string, at: At) =>
  infiniteQueryOptions({
    queryKey: [base, 'implementation', implementationId, 'commits', at.ref, at.path],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      platform.listImplementationCommits({ implementationId, ...where(at), limit: COMMITS, skip: pageParam, signal }),
    getNextPageParam: (page, _pages, skipped) => (page.length === COMMITS ? skipped + COMMITS : null),
  });

export const commitQuery = ({ base, platform }: Here, implementationId: string, commit: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'commit', commit],
    queryFn: ({ signal }) => platform.readImplementationCommit({ implementationId, commit, signal }),
    staleTime: Infinity,
  });

export const comparisonQuery = (
  { base: context, platform }: Here,
  implementationId: string,
  base: string,
  head: string,
) =>
  queryOptions({
    queryKey: [context, 'implementation', implementationId, 'compare', base, head],
    queryFn: ({ signal }) => platform.compareImplementationRefs({ implementationId, base, head, signal }),
  });

export const implementationMembersQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'members'],
    queryFn: ({ signal }) => platform.listImplementationMembers({ implementationId, signal }),
  });

export const implementationInvitationsQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'invitations'],
    queryFn: ({ signal }) => platform.listImplementationInvitations({ implementationId, signal }),
  });

/** Versions of services of the context that were made of an implementation. */
export const madeVersionsQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'versions'],
    queryFn: ({ signal }) => platform.listMadeVersions({ implementationId, signal }),
  });

/** Invitations to implementations for the person who is signed in. */
export const ownImplementationInvitationsQuery = ({ platform }: Pick<Here, 'platform'>) =>
  queryOptions({
    queryKey: ['implementation-invitations'],
    queryFn: ({ signal }) => platform.listOwnImplementationInvitations({ signal }),
    staleTime: 60_000,
  });

/** Milliseconds between two looks at an import that goes on. */
const IMPORT_MS = 2_000;

/** The origin of an implementation; null when it was not imported. */
export const importQuery = ({ base, platform }: Here, implementationId: string) =>
  queryOptions({
    queryKey: [base, 'implementation', implementationId, 'import'],
    async queryFn({ signal }) {
      try {
        return await platform.getImplementationImport({ implementationId, signal });
      } catch (error) {
        if (error instanceof KethubError && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval({ state: { data } }) {
      if (data?.state === 'PENDING' || data?.state === 'RUNNING') return IMPORT_MS;
      // The next run of a mirror begins then.
      return data?.nextAt === undefined ? false : Math.max(IMPORT_MS, parseTime(data.nextAt) - Date.now());
    },
  });
