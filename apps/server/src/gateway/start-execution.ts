import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Executions } from '../executions/index.ts';
import type { Answer } from '../http/index.ts';
import { countExecution, hasQuota, type QuotaFields } from '../limits/index.ts';
import type { Platform } from '../platform.ts';
import type { Subscriber } from './access.ts';

/** Starts an execution of a subscriber, counted in the same transaction where the subscription has a quota. */
export async function startForSubscriber(
  platform: Platform,
  executions: Executions,
  subscriber: Subscriber,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const { limits, subscriptionId } = subscriber;
  if (!hasQuota(limits)) return executions.start(subscriber, request);
  const counted: QuotaFields[] = [];
  const answer = await executions.start(subscriber, request, async (transaction) => {
    counted.push(await countExecution(transaction, subscriptionId, limits, platform.now()));
  });
  // None for the answer to a repeated request, which has started nothing.
  const [fields] = counted;
  return fields ? { ...answer, headers: { ...answer.headers, ...besideOthers(fields, reply) } } : answer;
}

/** Both fields are lists: what the request itself was counted against stands there already. */
export function besideOthers(fields: QuotaFields, reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const before = reply.getHeader(name);
    return [name, typeof before === 'string' ? `${before}, ${value}` : value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
