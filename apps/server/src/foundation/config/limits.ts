import type { UsageLimits } from '@kethub/contract';
import { Type, type Static, type TObject } from 'typebox';

export interface RateLimitSettings {
  /** Units of lookups a minute for each caller. The callers of one network share ten times as many. */
  readonly lookups: number;
  /** Requests a minute of one person or application; null is no limit. */
  readonly requests: number | null;
}

export interface LimitSettings {
  readonly rateLimits: RateLimitSettings;
  /** Limits of a subscription for which the provider of the service has set none. */
  readonly subscriptionLimits: UsageLimits;
  /** Bytes of request bodies in memory at the same time, for each port of this process; beyond that 429. */
  readonly bodyMemoryBytes: number;
  readonly buildQueue: BuildQueueSettings;
  /** Most PENDING executions of an owner; null is no limit. */
  readonly ownerPending: number | null;
}

/** Most builds that wait or run; one more upload is refused with 429. */
interface BuildQueueSettings {
  readonly ofOwner: number;
  readonly inAll: number;
}

export const LimitFields = {
  KETHUB_RATE_LIMIT_LOOKUPS: Type.Integer({
    minimum: 50,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Units a minute that one person may spend on look-ups of people. A name or an image costs 1, ten names of a batch 1, a search 5, the status of a registration 20. All callers of one address together have ten times as much. Each process counts for itself.',
  }),
  KETHUB_RATE_LIMIT_REQUESTS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 30_000,
    description:
      'Requests a minute that one person may make at the platform interface, and one application at the gateway. 0 is no limit. Each process counts for itself.',
  }),
  KETHUB_BODY_MEMORY_MB: Type.Integer({
    minimum: 64,
    maximum: 1_000_000,
    default: 512,
    description:
      'Memory for request bodies that are read at the same time, for each port of a process. One caller may use a quarter of it. Uploads that are stored while they arrive do not count. Beyond it the answer is 429.',
  }),
  KETHUB_SUBSCRIPTION_REQUESTS_PER_MINUTE: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description:
      'Requests a minute through one subscription, where the provider of the service has set nothing. 0 is no limit. Counted by each process.',
  }),
  KETHUB_SUBSCRIPTION_EXECUTIONS_PER_DAY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description:
      'Executions that one subscription may start on one day (UTC), where the provider of the service has set nothing. 0 is no limit.',
  }),
  KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'The same for a calendar month.',
  }),
  KETHUB_OWNER_BUILDS: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 20,
    description: 'Builds of one owner that wait or run. An upload beyond is refused with 429 until one has ended.',
  }),
  KETHUB_BUILDS: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    description: 'Builds of all owners together that wait or run. An upload beyond is refused with 429.',
  }),
  KETHUB_OWNER_PENDING_EXECUTIONS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000,
    description:
      'Executions of one person or organization that may wait as PENDING. Each process counts once a second, so a burst can go beyond the limit. 0 is no limit.',
  }),
};

export function limitsOf(given: Static<TObject<typeof LimitFields>>): LimitSettings {
  return {
    rateLimits: {
      lookups: given.KETHUB_RATE_LIMIT_LOOKUPS,
      requests: given.KETHUB_RATE_LIMIT_REQUESTS || null,
    },
    bodyMemoryBytes: given.KETHUB_BODY_MEMORY_MB * 1024 * 1024,
    subscriptionLimits: {
      requestsPerMinute: given.KETHUB_SUBSCRIPTION_REQUESTS_PER_MINUTE || null,
      executionsPerDay: given.KETHUB_SUBSCRIPTION_EXECUTIONS_PER_DAY || null,
      executionsPerMonth: given.KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH || null,
    },
    buildQueue: { ofOwner: given.KETHUB_OWNER_BUILDS, inAll: given.KETHUB_BUILDS },
    ownerPending: given.KETHUB_OWNER_PENDING_EXECUTIONS || null,
  };
}
