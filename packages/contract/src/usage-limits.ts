import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp, Version, nullable } from './fields.ts';

const amount = (description: string, maximum: number) => nullable('integer', { minimum: 1, maximum, description });
const members = (none: string) => ({
  requestsPerMinute: amount(`Requests a minute. ${none}`, 1_000_000),
  executionsPerDay: amount(`Executions on one day (UTC). ${none}`, 1_000_000_000),
  executionsPerMonth: amount(`Executions in one calendar month (UTC). ${none}`, 1_000_000_000),
});

/** Limits on the use of a service through a subscription. */
export const UsageLimits = Type.Object(members('Null: no limit.'), {
  $id: 'UsageLimits',
  description: 'Limits of a subscription, all provisions considered.',
});
export type UsageLimits = Static<typeof UsageLimits>;

export const UsageLimitsRequest = Request(members('Null: what is set further out holds.'), {
  $id: 'UsageLimitsRequest',
  description:
    'Limits that the provider of a service sets: for one subscription, or for all without limits of their own. Beyond both, the defaults of the installation hold.',
});
export type UsageLimitsRequest = Static<typeof UsageLimitsRequest>;

export const ServiceLimits = Request(
  {
    ...members('Null: what is set further out holds.'),
    executionsAtOnce: Type.Optional(
      amount(
        'Executions of all its versions that run at the same time, whoever started them; more wait as PENDING. Null, or left out: no limit.',
        1_000_000,
      ),
    ),
  },
  {
    $id: 'ServiceLimits',
    description:
      'Limits that the provider of a service sets: executions at once, and the use by subscriptions without limits of their own.',
  },
);
export type ServiceLimits = Static<typeof ServiceLimits>;

/** Executions in the current day and month, counted since the subscription has a quota. */
export const UsageToday = Type.Object(
  {
    executionsToday: nullable('integer', { description: 'Null: not counted, as there is no quota.' }),
    executionsThisMonth: nullable('integer', { description: 'Null: not counted, as there is no quota.' }),
  },
  { $id: 'UsageToday' },
);
export type UsageToday = Static<typeof UsageToday>;

export const ServiceSubscription = Type.Object(
  {
    id: Id,
    version: Version,
    subscriber: Owner,
    createdAt: Timestamp,
    set: UsageLimitsRequest,
    limits: UsageLimits,
    usage: UsageToday,
  },
  {
    $id: 'ServiceSubscription',
    description: 'A subscription as the provider of the service sees it. `set` is what it has been given of its own.',
  },
);
export type ServiceSubscription = Static<typeof ServiceSubscription>;
