import { KethubError } from '@kethub/client';
import { queryOptions } from '@tanstack/react-query';

/** Begin of the keys of what forms begin with. */
export const FORM = 'form';

/**
 * The answer that a form begins with. It is read when the form opens, and nothing renews it while the form is open. So
 * what is typed stays, and a change sends the entity tag that the person has seen.
 */
export const formQuery = <T>(key: readonly unknown[], read: (signal: AbortSignal) => Promise<T>) =>
  queryOptions({
    queryKey: [FORM, ...key],
    queryFn: ({ signal }) => read(signal),
    gcTime: 0,
    staleTime: Infinity,
  });

/** Statuses that say that the person may not see a thing any more, or that it is gone. */
const GONE = [403, 404, 410];

/**
 * Returns whether an error takes the place of what a query shows: nothing was read yet, or it is gone. Any other failed
 * renewal leaves the page as it is, because what is typed in it would be lost.
 */
export function isMissing({ data, error }: { readonly data?: unknown; readonly error: unknown }): boolean {
  if (error === null) return false;
  return data === undefined || (error instanceof KethubError && GONE.includes(error.status));
}
