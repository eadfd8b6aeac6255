import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useMay } from '../../data/context.tsx';
import { listingQuery } from '../../data/marketplace-queries.ts';
import { serviceQuery } from '../../data/queries.ts';
import { ifMatch } from '../../data/tagged.ts';
import { CATEGORIES } from '../../look/market.ts';
import { Markdown } from '../../look/markdown.tsx';
import { Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { Plans } from '../marketplace/plans.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { ListingForm } from './listing-form.tsx';

/** Offer of a service in the marketplace. Owners put it there, change the offer and take it out. */
export function ListingPage() {
  const { acting, serviceId, at } = useServiceAddress();
  const service = useQuery(serviceQuery(acting, serviceId));
  const listing = useQuery(listingQuery(acting, serviceId));
  const mayPublish = useMay('listing:publish');
  const [asked, setAsked] = useState<'form' | 'end' | null>(null);
  if (isMissing(listing)) return <Problem error={listing.error} onRetry={() => void listing.refetch()} />;
  if (listing.isPending || !service.data) return <div className="panel quiet">Loading…</div>;
  const offered = listing.data?.value;
  const versions = service.data.versions.filter((one) => one.state === 'PUBLISHED' && one.retirement === undefined);
  if (asked === 'form')
    return (
      <ListingForm
        name={service.data.name}
        versions={versions.map(({ version }) => version)}
        isOnPremise={service.data.type === 'ON_PREMISE'}
        present={listing.data ?? null}
        onClose={() => setAsked(null)}
      />
    );
  if (!offered)
    return (
      <div className="panel empty">
        <p style={{ margin: 0 }}>
          Not in the marketplace. An offer shows everybody here one published version with its plans: free, paid by use,
          or on request.
        </p>
        {versions.length === 0 ? (
          <p className="quiet" style={{ margin: 0 }}>
            First <Link to={`${at}/versions`}>publish a version</Link>.
          </p>
        ) : mayPublish ? (
          <Button onClick={() => setAsked('form')}>Offer it</Button>
        ) : (
          <p className="quiet" style={{ margin: 0 }}>
            Owners can offer it.
          </p>
        )}
      </div>
    );
  const { title, summary, documentation, version, categories, pricingPlans, updatedAt } = offered;
  return (
    <div className="stack">
      <div className="row">
        {mayPublish && <Button onClick={() => setAsked('form')}>Change the offer</Button>}
        <Link to={`${acting.base}/marketplace/${serviceId}`}>As others see it</Link>
      </div>
      <section className="panel stack" aria-labelledby="offer">
        <h2 id="offer">{title}</h2>
        {summary !== '' && <p style={{ margin: 0 }}>{summary}</p>}
        <dl className="facts">
          <dt>Version</dt>
          <dd className="numbers">{version}</dd>
          <dt>Categories</dt>
          <dd>{categories.length === 0 ? 'none' : categories.map((one) => CATEGORIES[one]).join(', ')}</dd>
          <dt>Changed</dt>
          <dd>
            <Time at={updatedAt} />
          </dd>
        </dl>
        <Markdown text={documentation} />
      </section>
      <Plans plans={pricingPlans} />
      {mayPublish && (
        <div>
          <Button variant="default" onClick={() => setAsked('end')} style={{ color: 'var(--failed)' }}>
            Take it out of the marketplace
          </Button>
        </div>
      )}
      {asked === 'end' && <Ending title={title} etag={listing.data?.etag} onClose={() => setAsked(null)} />}
    </div>
  );
}

function Ending({
  title,
  etag,
  onClose,
}: {
  readonly title: string;
  readonly etag: string | null | undefined;
  readonly onClose: () => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => acting.platform.unpublishListing({ serviceId, headers: ifMatch(etag) }),
    async onSettled() {
      await queries.invalidateQueries({ queryKey: listingQuery(acting, serviceId).queryKey });
      await queries.invalidateQueries({ queryKey: ['marketplace'] });
    },
    onSuccess: onClose,
  });
  return (
    <Confirm title={`Take ${title} out of the marketplace?`} action="Take it out" request={end} onClose={onClose}>
      Nobody else can subscribe. Those who have subscribed keep their version, plan and prices.
    </Confirm>
  );
}
