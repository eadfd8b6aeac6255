import type { UsageLimits } from '@kethub/contract';
import type { ExecutionScope } from '../executions/index.ts';
import type { TargetColumns } from '../../catalog/on-premise/index.ts';
import type { Retiring, Subscriber } from './access.ts';
import type { BearerClaims } from './bearer.ts';
import type { ServicePath } from './service-path.ts';

/** To read what has been started, or to start something. */
export type Purpose = 'SUBSCRIBER' | 'STARTER';

/** Until when a pass opens its service, as it is known now: whole epoch seconds, so that no number is an object of its own. */
export interface Until {
  readonly starts: number;
  readonly reads: number;
}

/**
 * A bearer token and what it was used for last, which is nearly always what it is used for now. With ten thousand
 * applications nothing of them is in the caches of the CPU: so all that a call looks at stands in this one object, in the
 * order of use, and not in objects that lead to each other.
 */
export class Pass implements BearerClaims {
  readonly expiresAt: number;
  readonly #startsUntil: number;
  readonly #readsUntil: number;
  readonly #path: ServicePath;
  /** How often rights had been forgotten when the directory looked last whether these still hold. */
  asOf = -1;
  readonly target: TargetColumns | null;
  readonly retirement: Retiring | null;
  readonly limits: UsageLimits;
  readonly scope: ExecutionScope;
  readonly applicationId: string;
  readonly accessKeyId: string;
  readonly subscriber: Subscriber;

  constructor({ expiresAt, applicationId, accessKeyId }: BearerClaims, subscriber: Subscriber, until: Until) {
    this.expiresAt = expiresAt;
    this.#startsUntil = until.starts;
    this.#readsUntil = until.reads;
    this.#path = subscriber.path;
    this.target = subscriber.target;
    this.retirement = subscriber.retirement;
    this.limits = subscriber.limits;
    this.scope = subscriber.scope;
    this.applicationId = applicationId;
    this.accessKeyId = accessKeyId;
    this.subscriber = subscriber;
  }

  /** Whether it opens this service, as long as nothing of what it was made from has changed. */
  opens({ owner, service, version }: ServicePath, purpose: Purpose, now: number): boolean {
    const until = purpose === 'STARTER' ? this.#startsUntil : this.#readsUntil;
    const path = this.#path;
    return now < until * 1000 && path.service === service && path.owner === owner && path.version === version;
  }
}
