import type { ChangeEvent } from '@kethub/contract';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Session } from '../session/session.ts';
import { FORM } from './form-query.ts';

/** Milliseconds for which events are collected, so that a thousand executions renew a list once. */
const COLLECT_MS = 700;

/** Renews what is shown when the platform says that it has changed. Nothing else renews a list. */
export function followChanges(session: Session, queries: QueryClient): void {
  let keys: QueryKey[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  session.followEvents((event) => {
    keys = added(keys, keysOf(event));
    timer ??= setTimeout(() => {
      const due = keys;
      keys = [];
      timer = undefined;
      for (const queryKey of due) void queries.invalidateQueries({ queryKey, predicate: isRenewed });
    }, COLLECT_MS);
  });
}

/**
 * Pages of a list up to which it is renewed by itself. A renewal asks for each page, one after the other: two hundred
 * requests at every event would be worse than a list that is old.
 */
export const RENEWED_PAGES = 10;

/** Returns whether an event renews this query. */
export function isRenewed({
  queryKey: [first],
  state: { data },
}: {
  readonly queryKey: QueryKey;
  readonly state: { readonly data?: unknown };
}): boolean {
  if (first === FORM) return false;
  const pages = (data as { readonly pages?: unknown } | null | undefined)?.pages;
  return !Array.isArray(pages) || pages.length <= RENEWED_PAGES;
}

/** The keys, each once. Beyond some hundred everything is renewed. */
export function added(keys: readonly QueryKey[], more: readonly QueryKey[]): QueryKey[] {
  const all = [...keys, ...more];
  const once = [...new Map(all.map((key) => [JSON.stringify(key), key])).values()];
  return once.length > MOST_KEYS || once.some((key) => key.length === 0) ? [[]] : once;
}

const MOST_KEYS = 200;

/** The beginnings of the keys of queries that an event concerns. An empty key is that of all. */
export function keysOf({ event, organizationId, executionId, serviceId }: ChangeEvent): QueryKey[] {
  const base = organizationId === undefined ? '/me' : `/org/${organizationId}`;
  switch (event) {
    case 'execution':
      return [
        [base, 'executions'],
        [base, 'execution', executionId, 'status'],
      ];
    case 'instance':
      return [
        [base, 'instance', executionId],
        [base, 'service', serviceId, 'instances'],
        [base, 'service', serviceId, 'incidents'],
        [base, 'incidents'],
      ];
    case 'provided-execution':
      return [[base, 'service', serviceId, 'executions']];
    case 'build':
      return [
        [base, 'services'],
        [base, 'service', serviceId],
      ];
    default:
      return [[]];
  }
}
