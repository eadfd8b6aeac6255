import type { Subscription } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { subscriptionsQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
import { More } from '../../look/more.tsx';
import { CopyButton, Ket, TableHead } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { Subscribe } from './subscribe.tsx';
import { limitsInWords } from './limits-in-words.ts';
import { useApplicationAddress } from './use-application.ts';

const BASES: Readonly<Record<Subscription['basis'], string>> = {
  INTERNAL: 'your own',
  SHARE: 'shared with you',
  MARKETPLACE: 'from the marketplace',
};

type Subscriptions = ReturnType<typeof useInfiniteQuery<readonly Subscription[], Error, { pages: Subscription[][] }>>;

/** The services that an application may call. */
export function Subscriptions({ subscriptions }: { readonly subscriptions: Subscriptions }) {
  const maySubscribe = useMay('subscription:create');
  const [isSubscribing, setSubscribing] = useState(false);
  const [ending, setEnding] = useState<Subscription | null>(null);
  const rows = subscriptions.data?.pages.flat() ?? [];
  return (
    <section className="panel flush" aria-labelledby="subscriptions">
      <div className="row apart panel-head">
        <h2 id="subscriptions">Services it may call</h2>
        {maySubscribe && (
          <Button size="xs" onClick={() => setSubscribing(true)}>
            Subscribe to a service
          </Button>
        )}
      </div>
      {subscriptions.error && <Problem error={subscriptions.error} onRetry={() => void subscriptions.refetch()} />}
      {subscriptions.isPending && <p className="quiet panel-text">Loading…</p>}
      {subscriptions.isSuccess && rows.length === 0 && (
        <p className="quiet panel-text">
          None yet. With a subscription, the keys of this application open the address of one version of a service.
        </p>
      )}
      {rows.length > 0 && (
        <table className="list">
          <TableHead columns={['Service', 'Version', 'Address', 'Limits and use']} spoken="Change" />
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} subscription={row} onEnd={() => setEnding(row)} />
            ))}
          </tbody>
        </table>
      )}
      <More of={subscriptions} />
      {isSubscribing && <Subscribe subscribed={rows} onClose={() => setSubscribing(false)} />}
      {ending && <Ending subscription={ending} onClose={() => setEnding(null)} />}
    </section>
  );
}

function Row({ subscription, onEnd }: { readonly subscription: Subscription; readonly onEnd: () => void }) {
  const mayEnd = useMay('subscription:delete');
  const { serviceName, version, endpoint, basis, pricingPlan, limits, usage } = subscription;
  return (
    <tr>
      <td>
        <strong>
          <Ket>{serviceName}</Ket>
        </strong>
        <div className="quiet small">
          {BASES[basis]}
          {pricingPlan && `, plan ${pricingPlan.name}`}
        </div>
      </td>
      <td className="numbers">{version}</td>
      <td>
        <span className="row">
          <code>{endpoint}</code>
          <CopyButton value={endpoint} label={`Copy the address of ${serviceName}`} />
        </span>
      </td>
      <td className="quiet numbers">
        {limitsInWords(limits, usage).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </td>
      <td>
        {mayEnd && (
          <Button size="compact-xs" variant="default" aria-label={`Unsubscribe from ${serviceName}`} onClick={onEnd}>
            Unsubscribe
          </Button>
        )}
      </td>
    </tr>
  );
}

function Ending({ subscription, onClose }: { readonly subscription: Subscription; readonly onClose: () => void }) {
  const { acting, applicationId } = useApplicationAddress();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => acting.platform.unsubscribe({ applicationId, subscriptionId: subscription.id }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: subscriptionsQuery(acting, applicationId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm
      title={`Unsubscribe from ${subscription.serviceName}?`}
      action="Unsubscribe"
      request={end}
      onClose={onClose}
    >
      The application can no longer call version {subscription.version}. Executions that run go on to their end.
    </Confirm>
  );
}
