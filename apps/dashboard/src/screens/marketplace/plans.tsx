import type { PricingPlan } from '@kethub/contract';
import { planInWords, PLAN_TYPES } from '../../look/market.ts';
import { TableHead } from '../../look/parts.tsx';

/** The pricing plans of an offer. */
export function Plans({ plans }: { readonly plans: readonly PricingPlan[] }) {
  return (
    <section className="panel flush" aria-labelledby="plans">
      <div className="panel-head">
        <h2 id="plans">Plans</h2>
      </div>
      <table className="list">
        <TableHead columns={['Plan', 'Type', 'Price']} />
        <tbody>
          {plans.map((plan) => (
            <tr key={plan.id}>
              <td>
                <strong>{plan.name}</strong>
              </td>
              <td className="quiet">{PLAN_TYPES[plan.type]}</td>
              <td>
                {planInWords(plan).map((line) => (
                  <div key={line}>{line}</div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
