import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useActing, type ActingContext } from '../../data/context.tsx';
import type { At } from '../../data/implementation-queries.ts';

/** The implementation that the page is about, and `at`, the address of its pages. */
export function useImplementationAddress(): { acting: ActingContext; implementationId: string; at: string } {
  const { implementationId = '' } = useParams({ strict: false }) as { implementationId?: string };
  const acting = useActing();
  return { acting, implementationId, at: `${acting.base}/implementations/${implementationId}` };
}

/** The branch and the path in the address of the page. */
export function useWhere(): At & { readonly choose: (ref: string | null) => void } {
  const search = useSearch({ strict: false }) as { ref?: unknown; path?: unknown };
  const navigate = useNavigate();
  return {
    ref: typeof search.ref === 'string' && search.ref !== '' ? search.ref : null,
    path: typeof search.path === 'string' ? search.path : '',
    choose: (ref) => void navigate({ to: '.', search: ref === null ? {} : { ref } }),
  };
}

/** The search of an address. Empty members are left out. */
export function searchOf({ ref, path }: At): Record<string, string> {
  return { ...(ref !== null && { ref }), ...(path !== '' && { path }) };
}

/** The path of a name in a folder. */
export function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
