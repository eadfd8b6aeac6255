import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { subscriptionsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { versionQuery } from '../../data/queries.ts';
import { fieldsOf } from '../../forms/schema.ts';
import { useEveryPage } from '../../look/more.tsx';
import type { CallableService } from '../../modeller/kit/services.ts';

/** The services that an application has subscribed to, with their parameters as far as the person may see them. */
export function useCallable(applicationId: string | null): readonly CallableService[] {
  const acting = useActing();
  const subscriptions = useInfiniteQuery({
    ...subscriptionsQuery(acting, applicationId ?? ''),
    enabled: applicationId !== null,
  });
  useEveryPage(subscriptions);
  const rows = useMemo(() => subscriptions.data?.pages.flat() ?? [], [subscriptions.data]);
  const versions = useQueries({
    queries: rows.map(({ serviceId, version }) => ({ ...versionQuery(acting, serviceId, version), retry: false })),
    combine: (results) => results.map(({ data }) => data?.parameters ?? []),
  });
  return useMemo(
    () =>
      rows.map(({ serviceId, serviceName, version }, at) => ({
        id: serviceId,
        name: serviceName,
        version,
        parameters: fieldsOf(versions[at] ?? []).map(({ name, required, description }) => ({
          name,
          required,
          description,
        })),
      })),
    [rows, versions],
  );
}
