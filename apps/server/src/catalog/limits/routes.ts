import { Id, ServiceLimits, ServiceSubscription, UsageLimitsRequest } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import {
  readServiceLimits,
  readServiceSubscriptions,
  setServiceLimits,
  setSubscriptionLimits,
} from './service-limits.ts';

const tag = 'Limits';
const servicePath = Type.Object({ serviceId: Id });
const subscriptionPath = Type.Object({ serviceId: Id, subscriptionId: Id });
const found = ['invalid-request', 'not-found'] as const;

/** Endpoints for the limits that a provider sets for subscribers. */
export const limitEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/limits',
    id: 'getServiceLimits',
    tag,
    access: 'limits:read',
    summary: 'Read how much of a service runs at once, and what every subscription to it may use',
    params: servicePath,
    answers: { 200: ServiceLimits },
    problems: found,
    run: ({ params, caller }) => readServiceLimits(platform, contextOf(caller), params.serviceId),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/limits',
    id: 'setServiceLimits',
    tag,
    access: 'limits:change',
    summary: 'Set how much of a service runs at once, and what every subscription to it may use',
    description:
      'A subscription that has been given limits of its own keeps them. Counting begins when a quota is set.',
    params: servicePath,
    body: ServiceLimits,
    answers: { 200: ServiceLimits },
    problems: [...found],
    run: ({ params, body, caller }) => setServiceLimits(platform, contextOf(caller), params.serviceId, body),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/subscriptions',
    id: 'listServiceSubscriptions',
    tag,
    access: 'limits:read',
    summary: 'List the subscriptions to a service with their limits, newest first',
    params: servicePath,
    query: ListQuery,
    answers: { 200: Type.Array(ServiceSubscription) },
    problems: found,
    handle: async ({ params, query, caller }) =>
      list(query, await readServiceSubscriptions(platform, contextOf(caller), params.serviceId)),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/subscriptions/:subscriptionId/limits',
    id: 'setSubscriptionLimits',
    tag,
    access: 'limits:change',
    summary: 'Set what one subscription to a service may use',
    params: subscriptionPath,
    body: UsageLimitsRequest,
    answers: { 200: UsageLimitsRequest },
    problems: [...found],
    run: ({ params, body, caller }) =>
      setSubscriptionLimits(platform, contextOf(caller), params.serviceId, params.subscriptionId, body),
  }),
];
