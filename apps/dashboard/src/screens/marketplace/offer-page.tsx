import type { MarketplaceService } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing, useMay } from '../../data/context.tsx';
import { offerQuery } from '../../data/marketplace-queries.ts';
import { CATEGORIES } from '../../look/market.ts';
import { Markdown } from '../../look/markdown.tsx';
import { Ket, PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { Parameters } from '../service/parameters.tsx';
import { Plans } from './plans.tsx';
import { SubscribeToOffer } from './subscribe-to-offer.tsx';

/** One offer of the marketplace: its plans, its documentation and its parameters. */
export function OfferPage() {
  const acting = useActing();
  const { serviceId = '' } = useParams({ strict: false }) as { serviceId?: string };
  const offer = useQuery(offerQuery(acting, serviceId));
  const maySubscribe = useMay('subscription:create');
  const [isSubscribing, setSubscribing] = useState(false);
  useTitle(offer.data?.title ?? 'Offer');
  if (isMissing(offer)) return <Problem error={offer.error} onRetry={() => void offer.refetch()} />;
  if (!offer.data) return <div className="quiet">Loading…</div>;
  const { title, summary, provider, version, categories, pricingPlans } = offer.data;
  const isOpen = pricingPlans.some(({ type }) => type !== 'ON_REQUEST');
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/marketplace`}>Marketplace</Link>}
        title={<Ket>{title}</Ket>}
        note={
          <div className="quiet">
            {summary !== '' && <div>{summary}</div>}
            <div className="small">
              {provider.name} · version <span className="numbers">{version}</span>
              {categories.length > 0 && ` · ${categories.map((one) => CATEGORIES[one]).join(', ')}`}
            </div>
          </div>
        }
        actions={maySubscribe && isOpen && <Button onClick={() => setSubscribing(true)}>Subscribe</Button>}
      />
      <OfferBody offer={offer.data} />
      {isSubscribing && <SubscribeToOffer offer={offer.data} onClose={() => setSubscribing(false)} />}
    </>
  );
}

function OfferBody({ offer }: { readonly offer: MarketplaceService }) {
  const acting = useActing();
  const { serviceId, version, description, documentation, pricingPlans, parameters = [], hosts = [] } = offer;
  const hasDocument = offer._links.apiSpecification !== undefined;
  const specification = useMutation({
    async mutationFn() {
      const document = await acting.platform.getMarketplaceApiSpecification({ serviceId });
      save(new Blob([JSON.stringify(document, null, 2)], { type: 'application/json' }), `${version}-openapi.json`);
    },
  });
  return (
    <div className="stack">
      <Plans plans={pricingPlans} />
      {(description !== '' || documentation !== '') && (
        <section className="panel stack" aria-labelledby="documentation">
          <h2 id="documentation">Documentation</h2>
          {description !== '' && <p style={{ margin: 0, whiteSpace: 'pre-wrap' }}>{description}</p>}
          <Markdown text={documentation} />
        </section>
      )}
      <Parameters title="Parameters" parameters={parameters} />
      {hosts.length > 0 && (
        <div className="panel quiet">Its code may call {hosts.join(', ')}. Your input can get there.</div>
      )}
      {hasDocument && (
        <div>
          <Button variant="default" loading={specification.isPending} onClick={() => specification.mutate()}>
            OpenAPI document
          </Button>
        </div>
      )}
      {specification.error && <Problem error={specification.error} />}
    </div>
  );
}
