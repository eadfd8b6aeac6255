import type { FastifyReply } from 'fastify';
import type { Subscriber } from '../../catalog/access/index.ts';
import { countExecution, hasQuota, type QuotaFields } from '../../catalog/limits/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/** Runs in the transaction that accepts an execution; throws to refuse it. */
type BeforeCommit = (transaction: Queries) => Promise<void>;

/** Value of the start, and the headers of its quota: none without a quota, and none for a repeated request. */
interface Counted<T> {
  readonly started: T;
  readonly fields: Partial<QuotaFields>;
}

/** Counts the executions that `start` accepts, where the subscription has a quota. Throws quota-exceeded. */
export async function countStarts<T>(
  platform: Platform,
  { limits, subscriptionId }: Subscriber,
  start: (beforeCommit: BeforeCommit | null) => Promise<T>,
): Promise<Counted<T>> {
  if (!hasQuota(limits)) return { started: await start(null), fields: {} };
  let fields: Partial<QuotaFields> = {};
  const started = await start(async (transaction) => {
    fields = await countExecution(transaction, subscriptionId, limits, platform.now());
  });
  return { started, fields };
}

/** Headers of a quota, appended to those of the rate limits that the answer carries already: both fields are lists. */
export function appendQuota(fields: Partial<QuotaFields>, reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const before = reply.getHeader(name);
    return [name, typeof before === 'string' ? `${before}, ${value}` : value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
