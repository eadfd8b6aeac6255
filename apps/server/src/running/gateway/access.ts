import type { UsageLimits } from '@kethub/contract';
import { type Interval } from '../../catalog/access/index.ts';
import { onAccessChanged } from '../../people/authorization/index.ts';
import type { Origin } from '../executions/index.ts';
import type { TargetColumns } from '../../catalog/on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { FreshChanges } from './fresh-changes.ts';
import { createLoader } from './load-access.ts';
import type { Pass } from './pass.ts';
import { Remembered } from './remembered.ts';
import type { ServicePath } from './service-path.ts';

const REMEMBERED = 100_000;

export interface AccessKeyEntry {
  readonly applicationId: string;
  readonly secretDigest: string;
  /** Epoch milliseconds, or null. */
  readonly expiresAt: number | null;
}

/** An application that calls a service version it is subscribed to. The address of its scope is that of the version. */
export interface Subscriber extends Origin {
  /** Whether it is what would be answered again: until it is forgotten, as it may have changed then. */
  isRemembered: boolean;
  readonly applicationId: string;
  readonly subscriptionId: string;
  readonly path: ServicePath;
  readonly version: string;
  /** Where the service runs, when it does so elsewhere. */
  readonly target: TargetColumns | null;
  /** The times in which it may start executions, one of which has to hold. */
  readonly active: readonly Interval[];
  /** The times in which it may read what has been started. */
  readonly readable: readonly Interval[];
  readonly retirement: Retiring | null;
  readonly limits: UsageLimits;
}

/** The end of a version, as its callers learn it. */
export interface Retiring {
  /** Epoch milliseconds. */
  readonly sunset: number;
  /** Address of the newest version that stays, or null. */
  readonly successor: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ApplicationAccess {
  readonly ownerId: string;
  /** By access key id: when it ends (epoch milliseconds), or null. */
  readonly accessKeys: ReadonlyMap<string, number | null>;
  /** By `<id_segment>/<service_name>/<version>`. */
  readonly subscriptions: ReadonlyMap<string, Subscriber>;
}

/** What applications may do, from memory: loaded when asked for and forgotten when changed, within a second in any case. */
export interface AccessDirectory {
  accessKey(accessKeyId: string): Promise<AccessKeyEntry | null> | AccessKeyEntry | null;
  /** Null when there is no such application (any more). */
  application(id: string): Promise<ApplicationAccess | null> | ApplicationAccess | null;
  /** Whether what a pass was made from is what would be answered now: asks for nothing that is not at hand. */
  holds(pass: Pass): boolean;
  /** The same, read anew: what is not known may have been granted a moment ago by another process. */
  readAgain(id: string): Promise<ApplicationAccess | null> | ApplicationAccess | null;
  close(): void;
}

export function createAccessDirectory(platform: Platform): AccessDirectory {
  const { database, now } = platform;
  const load = createLoader(platform);
  const keys = new Remembered(load.accessKey, REMEMBERED);
  let forgotten = 0;
  const applications = new Remembered(load.application, REMEMBERED, ({ subscriptions }, isRemembered) => {
    if (!isRemembered) forgotten += 1;
    for (const subscriber of subscriptions.values()) subscriber.isRemembered = isRemembered;
  });
  const forget = (applicationId: string): void => {
    keys.clear();
    applications.forget(applicationId);
  };
  const forgetAll = (): void => {
    keys.clear();
    applications.clear();
  };
  const changes = new FreshChanges(platform, forget, forgetAll);
  const stop = onAccessChanged(database, (id) => (id === null ? forgetAll() : forget(id)));
  // What is remembered holds only as of a look at the changes that is young enough.
  const asOfNow = <V>(get: () => Promise<V> | V): Promise<V> | V => {
    const asked = now();
    return changes.areFresh(asked) ? get() : changes.lookFor(asked).then(get);
  };
  return {
    accessKey: (id) => asOfNow(() => keys.get(id)),
    application: (id) => asOfNow(() => applications.get(id)),
    holds(pass) {
      if (!changes.areFresh(now())) return false;
      // The rights of nobody have been forgotten since: the subscriber need not even be looked at.
      if (pass.asOf === forgotten) return true;
      if (!pass.subscriber.isRemembered) return false;
      pass.asOf = forgotten;
      return true;
    },
    readAgain(id) {
      applications.forget(id);
      return asOfNow(() => applications.get(id));
    },
    close() {
      stop();
      changes.close();
    },
  };
}
