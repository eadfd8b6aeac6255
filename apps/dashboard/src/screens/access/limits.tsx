import type { ServiceLimits, ServiceSubscription } from '@kethub/contract';
import { Button, Modal } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useMay } from '../../data/context.tsx';
import { serviceLimitsQuery, subscribersQuery } from '../../data/marketplace-queries.ts';
import { useNames } from '../../data/use-names.ts';
import { More } from '../../look/more.tsx';
import { TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { limitsInWords } from '../applications/limits-in-words.ts';
import { useServiceAddress } from '../service/use-service.ts';
import { LimitsForm } from './limits-form.tsx';

/** Limits of a service and of each subscription, and the subscribers. */
export function Limits() {
  const { acting, serviceId } = useServiceAddress();
  const limits = useQuery(serviceLimitsQuery(acting, serviceId));
  const subscribers = useInfiniteQuery(subscribersQuery(acting, serviceId));
  const rows = subscribers.data?.pages.flatMap((page) => page.rows) ?? [];
  const nameOf = useNames(rows.map(({ subscriber }) => subscriber));
  const mayChange = useMay('limits:change');
  const [changed, setChanged] = useState<ServiceSubscription | null>(null);
  if (isMissing(limits)) return <Problem error={limits.error} onRetry={() => void limits.refetch()} />;
  if (!limits.data) return <div className="panel quiet">Loading…</div>;
  return (
    <div className="stack">
      <OfService present={limits.data} mayChange={mayChange} />
      <section className="panel flush" aria-labelledby="subscribers">
        <div className="panel-head">
          <h2 id="subscribers">Subscriptions to it</h2>
        </div>
        {subscribers.error && <Problem error={subscribers.error} onRetry={() => void subscribers.refetch()} />}
        {subscribers.isSuccess && rows.length === 0 && (
          <p className="quiet panel-text">
            None yet. Own applications, recipients of shares and the marketplace subscribe.
          </p>
        )}
        {rows.length > 0 && (
          <table className="list">
            <TableHead columns={['Whose', 'Version', 'Limits and use', 'Since']} spoken="Change" />
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td title={row.subscriber.id}>
                    <strong>{nameOf(row.subscriber)}</strong>
                  </td>
                  <td className="numbers">{row.version}</td>
                  <td className="quiet numbers">
                    {limitsInWords(row.limits, row.usage).map((line) => (
                      <div key={line}>{line}</div>
                    ))}
                  </td>
                  <td className="quiet">
                    <Time at={row.createdAt} />
                  </td>
                  <td>
                    {mayChange && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={`Limits of ${nameOf(row.subscriber)}`}
                        onClick={() => setChanged(row)}
                      >
                        Limits
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <More of={subscribers} />
      {changed && (
        <OfSubscription subscription={changed} name={nameOf(changed.subscriber)} onClose={() => setChanged(null)} />
      )}
    </div>
  );
}

function OfService({ present, mayChange }: { readonly present: ServiceLimits; readonly mayChange: boolean }) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (json: ServiceLimits) => acting.platform.setServiceLimits({ serviceId, json }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [acting.base, 'service', serviceId] }),
  });
  if (!mayChange)
    return (
      <section className="panel stack" aria-labelledby="limits">
        <h2 id="limits">Limits</h2>
        <ul style={{ margin: 0 }}>
          {limitsInWords(present, { executionsToday: null, executionsThisMonth: null }).map((line) => (
            <li key={line}>{line}</li>
          ))}
          {present.executionsAtOnce != null && <li>{present.executionsAtOnce} at the same time</li>}
        </ul>
      </section>
    );
  return (
    <section className="panel stack" aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <p className="quiet" style={{ margin: 0 }}>
        For each subscription that has none of its own. What is left empty is as the installation says. They hold
        everywhere within a second.
      </p>
      <LimitsForm present={present} hasAtOnce request={set} />
    </section>
  );
}

function OfSubscription({
  subscription,
  name,
  onClose,
}: {
  readonly subscription: ServiceSubscription;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: ({ requestsPerMinute, executionsPerDay, executionsPerMonth }: ServiceLimits) =>
      acting.platform.setSubscriptionLimits({
        serviceId,
        subscriptionId: subscription.id,
        json: { requestsPerMinute, executionsPerDay, executionsPerMonth },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: subscribersQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Limits of ${name}`} lockScroll={false}>
      <div className="stack">
        <p className="quiet" style={{ margin: 0 }}>
          For this subscription alone. What is left empty is as the service says.
        </p>
        <LimitsForm present={subscription.set} hasAtOnce={false} request={set} />
      </div>
    </Modal>
  );
}
