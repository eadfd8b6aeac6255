import { KethubError } from '@kethub/client';
import type { Build, OwnedExecution, ServiceExecution, ServiceVersion } from '@kethub/contract';
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Platform } from './client.ts';
import type { ActingContext } from './context.tsx';
import { parseExact } from './exact-json.ts';
import { formQuery } from './form-query.ts';
import { linkedPage } from './linked-page.ts';
import { claimWaiting } from './long-requests.ts';
import { tagged } from './tagged.ts';

/** Rows of one page of a list. */
export const PAGE = 50;
/** Seconds that one request waits for a change of what is shown. */
const WAIT_SECONDS = 20;
/** Milliseconds after an answer until the next request that waits. */
const AGAIN_MS = 200;
/** Milliseconds until the next request while another tab has the connection for answers that come later. */
const UNWAITED_MS = 3_000;

export type Here = Pick<ActingContext, 'base' | 'platform'>;

/** The last known state of a resource that changes, with its entity tag. */
export interface Watched<T> {
  readonly value: T;
  readonly etag: string | null;
  /** True where the request may have waited for a change, so that the next one follows at once. */
  readonly hasWaited?: boolean;
}

/**
 * Asks for something that is known already so that the answer comes when it differs from that, or after WAIT_SECONDS. A
 * change between two requests is therefore never missed.
 */
export async function watched<T>(
  known: Watched<T> | undefined,
  signal: AbortSignal,
  ask: (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Watched<T>> {
  const etag = known?.etag ?? null;
  const connection = etag === null ? null : await claimWaiting(signal);
  const hasWaited = etag === null || connection !== null;
  const headers: Record<string, string> = {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(connection && { prefer: `wait=${WAIT_SECONDS}` }),
  };
  try {
    const response = await ask(headers, connection?.signal ?? signal);
    if (response.status === 304 && known) return { ...known, hasWaited };
    return { value: parse(await response.text()) as T, etag: response.headers.get('etag'), hasWaited };
  } catch (error) {
    // The page went out of view. What is known stays.
    if (connection?.signal.aborted && !signal.aborted && known) return { ...known, hasWaited: false };
    throw error;
  } finally {
    connection?.release();
  }
}

/** Milliseconds until a change is waited for again. */
export function again({ hasWaited = true }: Watched<unknown>): number {
  return hasWaited ? AGAIN_MS : UNWAITED_MS;
}

/** The person, their organizations and the features of this installation, in one request. */
export const sessionQuery = (platform: Platform) =>
  queryOptions({
    queryKey: ['session'],
    async queryFn({ signal }) {
      try {
        return await platform.getSession({ signal });
      } catch (error) {
        // The session says nothing of an account whose deletion has begun; every other request does.
        if (error instanceof KethubError && error.status === 401) await platform.getMe({ signal });
        throw error;
      }
    },
    staleTime: 60_000,
  });

export const meQuery = (platform: Platform) =>
  queryOptions({ ...sessionQuery(platform), select: ({ person }) => person });

export const organizationsQuery = (platform: Platform) =>
  queryOptions({ ...sessionQuery(platform), select: ({ organizations }) => organizations });

/** The joined organizations with more than the session says. Renewed whenever the session is. */
export const organizationListQuery = (platform: Platform) =>
  queryOptions({
    queryKey: ['session', 'organizations'],
    queryFn: ({ signal }) => platform.listOrganizations({ signal }),
    staleTime: 60_000,
  });

export const accessTokensQuery = ({ platform }: Here) =>
  queryOptions({ queryKey: ['access-tokens'], queryFn: ({ signal }) => platform.listAccessTokens({ signal }) });

export const servicesQuery = ({ base, platform }: Here) =>
  infiniteQueryOptions({
    queryKey: [base, 'services'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listServices({ limit: PAGE, ...(pageParam !== null && { cursor: pageParam }), signal }),
    getNextPageParam: nextCursor,
    staleTime: 10_000,
  });

export const serviceQuery = ({ base, platform }: Here, serviceId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId],
    queryFn: ({ signal }) => platform.getService({ serviceId, signal }),
    staleTime: 5_000,
  });

/** Newest versions that a service itself has. */
export const VERSIONS_OF_SERVICE = 20;

/** All versions of a service, newest first. */
export const versionsQuery = ({ base, platform }: Here, serviceId: string) =>
  infiniteQueryOptions({
    queryKey: [base, 'service', serviceId, 'versions'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      linkedPage<ServiceVersion>(
        platform.listServiceVersions.response({
          serviceId,
          limit: PAGE,
          ...(pageParam !== null && { cursor: pageParam }),
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });

/** Everything of the context with this text in its name. */
export const searchQuery = ({ base, platform }: Here, q: string) =>
  queryOptions({
    queryKey: [base, 'search', q],
    queryFn: ({ signal }) => platform.searchEverything({ q, signal }),
    enabled: q !== '',
    staleTime: 10_000,
  });

/** One version, with its parameters. */
export const versionQuery = ({ base, platform }: Here, serviceId: string, version: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'version', version],
    queryFn: ({ signal }) => platform.getServiceVersion({ serviceId, version, signal }),
    staleTime: 5_000,
  });

/** One version with its entity tag, as a form begins with it: `form` is the name of the form. */
export const versionFormQuery = ({ base, platform }: Here, form: string, serviceId: string, version: string) =>
  formQuery([base, 'service', serviceId, form, version], (signal) =>
    tagged<ServiceVersion>(platform.getServiceVersion.response({ serviceId, version, signal })),
  );

export const buildQuery = ({ base, platform }: Here, serviceId: string, version: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'build', version],
    queryFn: ({ signal, client, queryKey }) =>
      watched<Build>(client.getQueryData<Watched<Build>>(queryKey), signal, (headers, until) =>
        platform.getBuild.response({ serviceId, version, signal: until, headers }),
      ),
    select: ({ value }) => value,
    refetchInterval: ({ state: { data } }) => (data && !isBuilt(data.value) ? again(data) : false),
  });

export const executionsQuery = ({ base, platform }: Here, filter: OwnedFilter) =>
  infiniteQueryOptions({
    queryKey: [base, 'executions', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listOwnedExecutions({
        limit: PAGE,
        ...filter,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

export const providedExecutionsQuery = ({ base, platform }: Here, serviceId: string, filter: ProvidedFilter) =>
  infiniteQueryOptions({
    queryKey: [base, 'service', serviceId, 'executions', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      platform.listProvidedExecutions({
        serviceId,
        ...filter,
        limit: PAGE,
        ...(pageParam !== null && { cursor: pageParam }),
        signal,
      }),
    getNextPageParam: nextCursor,
  });

export type OwnedFilter = Omit<
  Parameters<Platform['listOwnedExecutions']>[0] & object,
  'limit' | 'cursor' | 'signal' | 'headers'
>;
export type ProvidedFilter = Omit<
  OwnedFilter,
  'serviceId' | 'tag' | 'applicationId' | 'personId' | 'workflowId' | 'tasks'
>;

/** Numbers of executions by day and state: those of the context, or of a service with its `serviceId`. */
export const executionDaysQuery = ({ base, platform }: Here, serviceId?: string) =>
  queryOptions({
    queryKey:
      serviceId === undefined ? [base, 'executions', 'days'] : [base, 'service', serviceId, 'executions', 'days'],
    queryFn: ({ signal }) =>
      serviceId === undefined
        ? platform.countOwnedExecutions({ per: 'day', signal })
        : platform.countProvidedExecutions({ serviceId, per: 'day', signal }),
    staleTime: 30_000,
  });

/** An execution. While it runs, each look waits for its status to change. */
export const executionQuery = (here: Here, executionId: string) =>
  queryOptions({
    queryKey: executionKey(here, executionId),
    queryFn: ({ signal, client, queryKey }) =>
      watched<ServiceExecution>(client.getQueryData<Watched<ServiceExecution>>(queryKey), signal, (headers, until) =>
        here.platform.getOwnedExecution.response({ executionId, signal: until, headers }),
      ),
    select: ({ value }) => value,
    refetchInterval: ({ state: { data } }) => (data && !isEnded(data.value) ? again(data) : false),
  });

const executionKey = ({ base }: Pick<Here, 'base'>, executionId: string) => [base, 'execution', executionId, 'status'];

/** Puts an execution that has just been started where its page looks first. */
export function rememberExecution(queries: QueryClient, here: Here, value: ServiceExecution): void {
  queries.setQueryData<Watched<ServiceExecution>>(executionKey(here, value.id), { value, etag: null });
}

/** The result with every digit of its numbers; the cause of a failure stands in its place. */
export const resultQuery = ({ base, platform }: Here, executionId: string) =>
  queryOptions({
    queryKey: [base, 'execution', executionId, 'result'],
    async queryFn({ signal }) {
      const response = await platform.getOwnedResult.response({ executionId, signal });
      return parseExact(await response.text());
    },
    staleTime: Infinity,
    structuralSharing: false,
  });

/**
 * The input of an execution with every digit of its numbers, without secrets. Null when it is not kept, or is no object.
 */
export const inputQuery = ({ base, platform }: Here, executionId: string) =>
  queryOptions({
    queryKey: [base, 'execution', executionId, 'input'],
    async queryFn({ signal }): Promise<Readonly<Record<string, unknown>> | null> {
      try {
        const response = await platform.getOwnedInput.response({ executionId, signal });
        const input = parseExact(await response.text());
        return typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : null;
      } catch (error) {
        if (error instanceof KethubError && (error.code === 'input-not-kept' || error.code === 'result-expired'))
          return null;
        throw error;
      }
    },
    staleTime: Infinity,
    structuralSharing: false,
  });

export const recordQuery = ({ base, platform }: Here, executionId: string) =>
  queryOptions({
    queryKey: [base, 'execution', executionId, 'record'],
    queryFn: ({ signal }) => platform.getOwnedRecord({ executionId, signal }),
  });

export const providedRecordQuery = ({ base, platform }: Here, serviceId: string, executionId: string) =>
  queryOptions({
    queryKey: [base, 'service', serviceId, 'record', executionId],
    queryFn: ({ signal }) => platform.getProvidedRecord({ serviceId, executionId, signal }),
  });

export const dataPoolsQuery = ({ base, platform }: Here) =>
  queryOptions({
    queryKey: [base, 'data-pools'],
    queryFn: ({ signal }) => platform.listDataPools({ signal }),
    staleTime: 30_000,
  });

export function nextCursor(page: readonly { readonly id: string }[]): string | null {
  return page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
}

/** Returns whether an execution can still change. */
export function isEnded({ status }: Pick<OwnedExecution, 'status'>): boolean {
  return status !== 'PENDING' && status !== 'RUNNING';
}

export function isBuilt({ status }: { readonly status: string }): boolean {
  return status === 'SUCCEEDED' || status === 'FAILED';
}
