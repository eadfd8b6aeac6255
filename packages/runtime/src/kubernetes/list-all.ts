import type { ClusterApi } from './api.ts';

/** Objects of a page of a list. */
const PAGE = 500;

interface Page<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** All objects of a kind with these labels, and the place in the history of the cluster at which the list was made. */
export async function listAll<T>(
  api: ClusterApi,
  kind: string,
  labelSelector: string,
  signal?: AbortSignal,
): Promise<{ readonly items: readonly T[]; readonly version: string }> {
  const items: T[] = [];
  for (let next: string | undefined; ;) {
    const query = { labelSelector, limit: PAGE, ...(next !== undefined && { continue: next }) };
    const page: Page<T> = await api.ask('GET', kind, { query, ...(signal && { signal }) });
    items.push(...page.items);
    next = page.metadata.continue;
    if (next === undefined || next === '') return { items, version: page.metadata.resourceVersion };
  }
}
