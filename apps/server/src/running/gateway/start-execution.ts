import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Executions } from '../executions/index.ts';
import type { Answer } from '../../foundation/http/index.ts';
import { countExecution, hasQuota, type QuotaFields } from '../../catalog/limits/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import type { Subscriber } from './access.ts';

/** Starts an execution of a subscriber, counted in the same transaction where the subscription has a quota. */
export async function startForSubscriber(
  platform: Platform,
  executions: Executions,
  subscriber: Subscriber,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  if (!hasQuota(subscriber.limits)) return executions.start(subscriber, request);
  return counted(platform, subscriber, reply, (hold) => executions.start(subscriber, request, hold));
}

/** Publishes a message of a subscriber; each execution that it starts is counted. */
export async function publishForSubscriber(
  platform: Platform,
  executions: Executions,
  subscriber: Subscriber,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  if (!hasQuota(subscriber.limits)) return executions.publish(subscriber, request);
  return counted(platform, subscriber, reply, (hold) => executions.publish(subscriber, request, hold));
}

type Hold = (transaction: Queries) => Promise<void>;

async function counted(
  platform: Platform,
  { limits, subscriptionId }: Subscriber,
  reply: FastifyReply,
  act: (hold: Hold) => Promise<Answer>,
): Promise<Answer> {
  let fields: QuotaFields | null = null;
  const answer = await act(async (transaction) => {
    fields = await countExecution(transaction, subscriptionId, limits, platform.now());
  });
  // None for the answer to a repeated request, which has started nothing.
  return fields === null ? answer : { ...answer, headers: { ...answer.headers, ...besideOthers(fields, reply) } };
}

/** Both fields are lists: what the request itself was counted against stands there already. */
export function besideOthers(fields: QuotaFields, reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const before = reply.getHeader(name);
    return [name, typeof before === 'string' ? `${before}, ${value}` : value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
