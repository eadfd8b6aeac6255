import type { ElementTemplate, ServiceVersion } from '@kethub/contract';
import { KethubError } from '@kethub/client';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { elementTemplatesQuery, subscriptionsQuery } from '../../data/application-queries.ts';
import { useActing } from '../../data/context.tsx';
import { writeExact } from '../../data/exact-json.ts';
import { isRenewed } from '../../data/live.ts';
import { versionQuery } from '../../data/queries.ts';
import { documentQuery } from '../../data/source-queries.ts';
import { fieldsOf } from '../../forms/schema.ts';
import { useEveryPage } from '../../look/more.tsx';
import type { CalledBy, CallableService } from '../../modeller/kit/services.ts';
import { joined, resultMembers, sampleOf, type Member } from '../../modeller/suggest/members.ts';

/** Services whose own documents are read; of further ones, the template says what they take and return. */
const MOST_READ = 50;
/** Milliseconds after which the subscriptions are read again while the page is in view. */
const RENEWAL_MS = 10_000;

type Parameters = CallableService['parameters'];

/** Services that tasks can call, as far as they are read. */
interface Callable extends CalledBy {
  /** Reason for which none could be read; null where they are, or may still come. */
  readonly error: Error | null;
  retry(): void;
}

/** The services that an application has subscribed to, with their parameters and the members of their results. */
export function useCallable(applicationId: string | null): Callable {
  const acting = useActing();
  const enabled = applicationId !== null;
  const subscriptions = useInfiniteQuery({
    ...subscriptionsQuery(acting, applicationId ?? ''),
    enabled,
    // No event tells of subscriptions, which are often made beside the modeller. A list that was refused is not asked for again.
    refetchInterval: (query) => (query.state.data !== undefined && isRenewed(query) ? RENEWAL_MS : false),
  });
  useEveryPage(subscriptions);
  const rows = useMemo(() => subscriptions.data?.pages.flat() ?? [], [subscriptions.data]);
  const read = rows.slice(0, MOST_READ);
  const templates = useQuery({ ...elementTemplatesQuery(acting, applicationId ?? ''), enabled });
  const { data: described, refetch: describe } = templates;
  const isUndescribed =
    described !== undefined && rows.some(({ serviceId }) => !described.some(({ id }) => id === templateId(serviceId)));
  useEffect(() => {
    if (isUndescribed) void describe();
  }, [isUndescribed, rows, describe]);
  // The signature of a service of one's own says more than its document; that of somebody else cannot be read.
  const versions = useQueries({
    queries: read.map(({ serviceId, version }) => ({ ...versionQuery(acting, serviceId, version), retry: false })),
    combine: (results) => results.map(({ data }) => data),
  });
  const documents = useQueries({
    queries: read.map(({ serviceId, version }) => documentQuery(acting, serviceId, version)),
    combine: (results) => results.map(({ data }) => data),
  });
  const services = useMemo(
    () =>
      rows.map(({ serviceId, serviceName, version }, at) => {
        const template = templates.data?.find(({ id }) => id === templateId(serviceId));
        const result = joined(resultMembers(documents[at]), template ? outputsOf(template) : []);
        const signature = versions[at]?.parameters;
        return {
          id: serviceId,
          name: serviceName,
          version,
          isRetired: versions[at]?.state === 'RETIRED',
          parameters: signature ? parametersOf(signature) : template ? inputsOf(template) : [],
          result,
          example: writeExact(sampleOf(result)),
        };
      }),
    [rows, versions, documents, templates.data],
  );
  const error = subscriptions.data ? null : subscriptions.error;
  const isKnown = subscriptions.data !== undefined && !subscriptions.hasNextPage;
  const isForeign = error instanceof KethubError && error.status === 404;
  const { refetch } = subscriptions;
  return useMemo(
    () => ({ services, isKnown, isForeign, error, retry: () => void refetch() }),
    [services, isKnown, isForeign, error, refetch],
  );
}

function templateId(serviceId: string): string {
  return `kethub:service:${serviceId}`;
}

function parametersOf(signature: NonNullable<ServiceVersion['parameters']>): Parameters {
  return fieldsOf(signature).map(({ name, required, description }) => ({ name, required, description }));
}

interface Property {
  readonly label?: string;
  readonly description?: string;
  readonly value?: string;
  readonly constraints?: { readonly notEmpty?: boolean };
  readonly binding?: { readonly type?: string; readonly name?: string; readonly source?: string };
}

/** Parameters of a service that somebody else provides, from its element template. */
function inputsOf({ properties }: ElementTemplate): Parameters {
  return (properties as readonly Property[]).flatMap(({ binding, description = '', constraints }) =>
    binding?.type === 'zeebe:input' && binding.name !== undefined
      ? [{ name: binding.name, required: constraints?.notEmpty === true, description }]
      : [],
  );
}

/** Names of members of the result, from the output mapping of the template: `={counts: counts}`. */
function outputsOf({ properties }: ElementTemplate): readonly Member[] {
  const source = (properties as readonly Property[]).find(({ binding }) => binding?.type === 'zeebe:output')?.binding;
  return [...(source?.source ?? '').matchAll(/(\w+):/g)].map(([, name = '']) => ({ name, type: '', members: [] }));
}
