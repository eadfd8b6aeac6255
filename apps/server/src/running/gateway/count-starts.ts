import type { FastifyReply } from 'fastify';
import type { Subscriber } from '../../catalog/access/index.ts';
import { countExecution, hasQuota, type QuotaFields } from '../../catalog/limits/index.ts';
import type { Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/** Runs in the transaction that accepts an execution; throws to refuse it. */
type BeforeCommit = (transaction: Queries) => Promise<void>;

/** Counts the executions that `start` accepts, where the subscription has a quota. Throws quota-exceeded. */
export async function countStarts(
  platform: Platform,
  { limits, subscriptionId }: Subscriber,
  reply: FastifyReply,
  start: (beforeCommit: BeforeCommit | null) => Promise<Answer>,
): Promise<Answer> {
  if (!hasQuota(limits)) return start(null);
  let fields: QuotaFields | null = null;
  const answer = await start(async (transaction) => {
    fields = await countExecution(transaction, subscriptionId, limits, platform.now());
  });
  // A repeated request has started nothing, so nothing was counted.
  return fields === null ? answer : { ...answer, headers: { ...answer.headers, ...appendQuota(fields, reply) } };
}

/** Headers of a quota, appended to those of the rate limits that the answer carries already: both fields are lists. */
export function appendQuota(fields: QuotaFields, reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const before = reply.getHeader(name);
    return [name, typeof before === 'string' ? `${before}, ${value}` : value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
