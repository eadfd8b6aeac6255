import type { UsageLimits } from '@kethub/contract';
import type { ServiceAddress, TargetColumns } from '../on-premise/index.ts';
import type { Program } from '../services/index.ts';
import type { ApplicationOwner, Interval } from './offers.ts';

export interface AccessKeyEntry {
  readonly applicationId: string;
  readonly secretDigest: string;
  /** Epoch milliseconds, or null. */
  readonly expiresAt: number | null;
}

export interface ApplicationAccess {
  readonly ownerId: string;
  /** Access key ids with the end of each key (epoch milliseconds), or null. */
  readonly accessKeys: ReadonlyMap<string, number | null>;
  /** Subscriptions by the address of the service version, as `addressKey` writes it. */
  readonly subscriptions: ReadonlyMap<string, Subscriber>;
}

export function addressKey({ owner, service, version }: ServiceAddress): string {
  return `${owner}/${service}/${version}`;
}

/** An application in its subscription to a service version. Use `isDuring` for `active` and `readable`. */
export interface Subscriber {
  readonly applicationId: string;
  /** The owner of the application. */
  readonly owner: ApplicationOwner;
  readonly subscriptionId: string;
  readonly serviceId: string;
  readonly serviceVersionId: string;
  readonly version: string;
  /** URL at which the application calls the version, without a slash at its end. */
  readonly address: string;
  readonly program: Program;
  /** The target of an on-premise service; null for services that the platform runs. */
  readonly target: TargetColumns | null;
  /** Intervals in which it may start executions. */
  readonly active: readonly Interval[];
  /** Intervals in which it may read its executions. */
  readonly readable: readonly Interval[];
  readonly retirement: SubscribedRetirement | null;
  readonly limits: UsageLimits;
}

/** The end of a version, with the version that subscribers should use instead. */
export interface SubscribedRetirement {
  /** Epoch milliseconds. */
  readonly announcedAt: number;
  /** Epoch milliseconds. */
  readonly sunset: number;
  /** URL of the newest version that stays, or null. */
  readonly successor: string | null;
}
