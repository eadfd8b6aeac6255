import type { MonthlyUsage } from '@kethub/contract';
import { Button, Select } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { monthQuery, type Side } from '../../data/usage-queries.ts';
import { PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { Days } from '../executions/days.tsx';
import { Bars } from './bars.tsx';
import { barsOf, csvOfMonth, monthInWords, monthsUntil } from './months.ts';
import { Storage } from './storage.tsx';

/** Months that are shown. */
const MONTHS = 6;

/** Costs of used services and earnings of own ones, by month. Side and month stand in the address. */
export function Usage() {
  useTitle('Usage');
  const acting = useActing();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { side?: unknown; month?: unknown };
  const mayReadRevenue = useMay('revenue:read');
  const side: Side = search.side === 'revenue' ? 'revenue' : 'costs';
  const [months] = useState(() => monthsUntil(new Date(), MONTHS));
  const newest = months.at(-1) ?? '';
  const chosen = months.find((month) => month === search.month) ?? newest;
  const usages = useQueries({
    queries: months.map((month) => monthQuery(acting, side, month, month !== newest)),
  });
  const failed = usages.find(({ error }) => error !== null);
  const known = usages.flatMap(({ data }) => data ?? []);
  const bars = barsOf(known);
  const month = known.find((one) => one.month === chosen);
  const show = (next: { readonly side: Side; readonly month: string }): void =>
    void navigate({ to: `${acting.base}/usage`, search: next, replace: true });
  return (
    <>
      <PageHead title="Usage" />
      <nav className="tabs" aria-label="Usage">
        <Link
          to={`${acting.base}/usage`}
          search={{ side: 'costs' }}
          aria-current={side === 'costs' ? 'page' : undefined}
        >
          Costs
        </Link>
        {mayReadRevenue && (
          <Link
            to={`${acting.base}/usage`}
            search={{ side: 'revenue' }}
            aria-current={side === 'revenue' ? 'page' : undefined}
          >
            Revenue
          </Link>
        )}
      </nav>
      <div className="stack">
        {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
        {!failed && known.length < MONTHS && <div className="panel quiet">Loading…</div>}
        {!failed && known.length === MONTHS && (
          <>
            {[...bars].map(([currency, all]) => (
              <section key={currency} className="panel stack" aria-label={currency}>
                <h2>{currency}</h2>
                <Bars bars={all} currency={currency} chosen={chosen} onChoose={(next) => show({ side, month: next })} />
              </section>
            ))}
            <Select
              label="Month"
              allowDeselect={false}
              openOnFocus={false}
              data={months.toReversed().map((value) => ({ value, label: monthInWords(value) }))}
              value={chosen}
              onChange={(next) => next !== null && show({ side, month: next })}
              style={{ maxWidth: 220 }}
            />
            {month && <Lines usage={month} side={side} />}
          </>
        )}
        {side === 'costs' && <Days />}
        {side === 'costs' && <Storage />}
      </div>
    </>
  );
}

function Lines({ usage, side }: { readonly usage: MonthlyUsage; readonly side: Side }) {
  const { month, lines, totals } = usage;
  if (lines.length === 0)
    return (
      <div className="panel quiet">
        {side === 'costs'
          ? 'Nothing has been charged in this month. What costs something is a subscription to an offer of the marketplace on a paid plan.'
          : 'Nothing has been earned in this month. Offer a service in the marketplace on a paid plan.'}
      </div>
    );
  return (
    <section className="panel flush" aria-labelledby="lines">
      <div className="row apart panel-head">
        <h2 id="lines">{monthInWords(month)}</h2>
        <Button
          size="xs"
          variant="default"
          onClick={() => save(new Blob([csvOfMonth(usage)], { type: 'text/csv' }), `${side}-${month}.csv`)}
        >
          CSV
        </Button>
      </div>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Plan</th>
            <th scope="col">What</th>
            <th scope="col">Amount</th>
            <th scope="col">{side === 'costs' ? 'Cost' : 'Revenue'}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.serviceId} ${line.version} ${line.pricingPlanId} ${line.productId} ${line.unitPrice}`}>
              <td>
                <strong>{line.serviceName}</strong> <span className="quiet numbers">{line.version}</span>
              </td>
              <td>{line.pricingPlan}</td>
              <td>{line.product}</td>
              <td className="numbers quiet">
                {line.amount} {line.unit} × {line.unitPrice} {line.currency}
              </td>
              <td className="numbers">
                {line.cost} {line.currency}
              </td>
            </tr>
          ))}
          {totals.map(({ currency, cost }) => (
            <tr key={currency}>
              <td>
                <strong>Together</strong>
              </td>
              <td />
              <td />
              <td />
              <td className="numbers">
                <strong>
                  {cost} {currency}
                </strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
