import type { MarketplaceEntry } from '@kethub/contract';
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { marketplaceQuery } from '../../data/marketplace-queries.ts';
import { Icon } from '../../look/icons.tsx';
import { CATEGORIES, CATEGORY_CHOICES, isCategory, PLAN_TYPES } from '../../look/market.ts';
import { More } from '../../look/more.tsx';
import { Ket, PageHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';

/** Milliseconds after the last key until the marketplace is searched. */
const PAUSE_MS = 250;

/** The services that others offer to everybody. Search and category stand in the address. */
export function Marketplace() {
  useTitle('Marketplace');
  const acting = useActing();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { q?: unknown; category?: unknown };
  const q = typeof search.q === 'string' || typeof search.q === 'number' ? String(search.q) : '';
  const category = isCategory(search.category) ? search.category : null;
  const [typed, setTyped] = useState(q);
  const show = (next: { readonly q: string; readonly category: string | null }): void =>
    void navigate({
      to: `${acting.base}/marketplace`,
      search: { ...(next.q !== '' && { q: next.q }), ...(next.category !== null && { category: next.category }) },
      replace: true,
    });
  const find = useDebouncedCallback((text: string) => show({ q: text.trim(), category }), PAUSE_MS);
  const offers = useInfiniteQuery(marketplaceQuery(acting, { ...(q !== '' && { q }), ...(category && { category }) }));
  const rows = offers.data?.pages.flatMap((page) => page.rows) ?? [];
  const isFiltered = q !== '' || category !== null;
  return (
    <>
      <PageHead
        title="Marketplace"
        note={<span className="quiet">Services that others offer to everybody here.</span>}
      />
      <div className="stack">
        <div className="row">
          <TextInput
            aria-label="Search"
            placeholder="Title, summary or provider"
            leftSection={<Icon name="search" size={15} />}
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              find(event.currentTarget.value);
            }}
            style={{ width: 280 }}
          />
          <Select
            aria-label="Category"
            placeholder="Every category"
            clearable
            data={CATEGORY_CHOICES}
            value={category}
            onChange={(next) => show({ q: typed.trim(), category: next })}
          />
        </div>
        {offers.error && <Problem error={offers.error} onRetry={() => void offers.refetch()} />}
        {offers.isPending && <div className="panel quiet">Loading…</div>}
        {offers.isSuccess && rows.length === 0 && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              {isFiltered
                ? 'No offer fits. Search for a part of a title, or choose another category.'
                : 'Nobody offers anything yet. Publish a version of a service, then offer it on its page, under Marketplace.'}
            </p>
          </div>
        )}
        {rows.length > 0 && (
          <ul className="tiles" aria-label="Offers">
            {rows.map((offer) => (
              <Tile key={offer.serviceId} offer={offer} to={`${acting.base}/marketplace/${offer.serviceId}`} />
            ))}
          </ul>
        )}
        <More of={offers} />
      </div>
    </>
  );
}

function Tile({ offer, to }: { readonly offer: MarketplaceEntry; readonly to: string }) {
  const { title, summary, provider, version, categories, pricing, publishedAt } = offer;
  return (
    <li className="panel tile">
      <h2>
        <Link to={to}>
          <Ket>{title}</Ket>
        </Link>
      </h2>
      <p>{summary}</p>
      <div className="quiet small">
        {provider.name} · <span className="numbers">{version}</span> · <Time at={publishedAt} />
      </div>
      <div className="quiet small">
        {[...new Set(pricing)].map((type) => PLAN_TYPES[type]).join(', ')}
        {categories.length > 0 && ` · ${categories.map((one) => CATEGORIES[one]).join(', ')}`}
      </div>
    </li>
  );
}
