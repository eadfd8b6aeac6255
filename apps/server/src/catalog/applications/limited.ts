import type { Subscription } from '@kethub/contract';
import { limitsOfSubscriptions, presentUsage, usageOf } from '../limits/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { presentSubscription as presentWithoutLimits, type SubscribedService } from './present.ts';

/** {@link presentSubscriptions} of one. */
export async function presentSubscription(
  platform: Platform,
  queries: Queries,
  row: SubscribedService,
): Promise<Subscription> {
  const [subscription] = await presentSubscriptions(platform, queries, [row]);
  return subscription as Subscription;
}

/** Subscriptions with their limits and their use. */
export async function presentSubscriptions(
  { addresses, configuration, now }: Platform,
  queries: Queries,
  rows: readonly SubscribedService[],
): Promise<Subscription[]> {
  const ids = rows.map(({ id }) => id);
  const known = await limitsOfSubscriptions(queries, configuration.subscriptionLimits, ids);
  const usage = await usageOf(queries, ids, now());
  return rows.map((row) => {
    const limits = known.get(row.id)?.limits ?? configuration.subscriptionLimits;
    return { ...presentWithoutLimits(row, addresses), limits, usage: presentUsage(limits, usage.get(row.id)) };
  });
}
