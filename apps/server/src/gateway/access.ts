import type { UsageLimits } from '@kethub/contract';
import { offersTo, onAccessChanged, retirementOf, timesOf, type Interval, type Offer } from '../access/index.ts';
import { dataPoolParameters } from '../datapools/index.ts';
import type { Origin } from '../executions/index.ts';
import type { TargetColumns } from '../on-premise/index.ts';
import { limitsOfSubscriptions } from '../limits/index.ts';
import { serviceEndpoint, type Platform } from '../platform.ts';
import { FreshChanges } from './fresh-changes.ts';
import { Remembered } from './remembered.ts';
import { compareVersions } from '../services/index.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { ServiceVersionRow, Tables } from '../storage/index.ts';

const REMEMBERED = 100_000;

export interface AccessKeyEntry {
  readonly applicationId: string;
  readonly secretDigest: string;
  /** Epoch milliseconds, or null. */
  readonly expiresAt: number | null;
}

/** An application that calls a service version it is subscribed to. The address of its scope is that of the version. */
export interface Subscriber extends Origin {
  readonly applicationId: string;
  readonly subscriptionId: string;
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
  /** The same, read anew: what is not known may have been granted a moment ago by another process. */
  readAgain(id: string): Promise<ApplicationAccess | null> | ApplicationAccess | null;
  close(): void;
}

export function createAccessDirectory(platform: Platform): AccessDirectory {
  const { database, now } = platform;
  const keys = new Remembered((id) => loadAccessKey(platform, id), REMEMBERED);
  const applications = new Remembered((id) => loadApplication(platform, id), REMEMBERED);
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
  const asOfNow = <V>(get: () => Promise<V> | V): Promise<V> | V =>
    changes.areFresh(now()) ? get() : changes.look().then(get);
  return {
    accessKey: (id) => asOfNow(() => keys.get(id)),
    application: (id) => asOfNow(() => applications.get(id)),
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

async function loadAccessKey(platform: Platform, accessKeyId: string): Promise<AccessKeyEntry | null> {
  const row = await platform.database.read
    .selectFrom('access_keys')
    .innerJoin('applications', 'applications.id', 'access_keys.application_id')
    .select(['application_id', 'secret_digest', 'expires_at'])
    .where('access_key_id', '=', accessKeyId)
    .where(ownerMayCall)
    .executeTakeFirst();
  return row ? { applicationId: row.application_id, secretDigest: row.secret_digest, expiresAt: row.expires_at } : null;
}

/** Of somebody who is rejected or switched off nothing calls; what an organization owns goes on, whoever made it. */
function ownerMayCall(where: ExpressionBuilder<Tables, 'applications'>): Expression<SqlBool> {
  const shutOut = where.selectFrom('shut_out').select('user_id').whereRef('user_id', '=', 'applications.owner_id');
  return where.or([where('applications.owner_type', '!=', 'USER'), where.not(where.exists(shutOut))]);
}

async function loadApplication(platform: Platform, id: string): Promise<ApplicationAccess | null> {
  const { read } = platform.database;
  const application = await read
    .selectFrom('applications')
    .select(['owner_type', 'owner_id'])
    .where('id', '=', id)
    .where(ownerMayCall)
    .executeTakeFirst();
  if (!application) return null;
  const keys = await read
    .selectFrom('access_keys')
    .select(['access_key_id', 'expires_at'])
    .where('application_id', '=', id)
    .execute();
  const subscriptions = await read
    .selectFrom('subscriptions')
    .innerJoin('service_versions', 'service_versions.id', 'subscriptions.service_version_id')
    .innerJoin('services', 'services.id', 'subscriptions.service_id')
    .leftJoin('on_premise_targets', 'on_premise_targets.service_version_id', 'service_versions.id')
    .select([
      'subscriptions.id',
      'subscriptions.service_id',
      'subscriptions.service_version_id',
      'subscriptions.basis',
      'service_versions.state',
      'services.owner_id',
      'services.slug',
      'services.type',
      'service_versions.version',
      'service_versions.parameters',
      'service_versions.runtime',
      'service_versions.deprecated_at',
      'service_versions.sunset_at',
      'on_premise_targets.url',
      'on_premise_targets.timeout_ms',
      'on_premise_targets.sealed_credentials',
    ])
    .where('application_id', '=', id)
    .execute();
  // What was offered when the application subscribed has to be offered still.
  const owner = { type: application.owner_type, id: application.owner_id };
  const offers = await offersTo(
    read,
    owner,
    subscriptions.map((one) => one.service_id),
  );
  const offersOf = Map.groupBy(offers, (offer) => offer.versionId);
  const former = await read
    .selectFrom('subscriptions')
    .innerJoin('former_addresses', 'former_addresses.service_id', 'subscriptions.service_id')
    .select(['subscriptions.id', 'former_addresses.owner_id', 'former_addresses.slug'])
    .where('application_id', '=', id)
    .execute();
  const defaults = platform.configuration.subscriptionLimits;
  const limits = await limitsOfSubscriptions(
    read,
    defaults,
    subscriptions.map(({ id }) => id),
  );
  const formerOf = Map.groupBy(former, (one) => one.id);
  return {
    ownerId: application.owner_id,
    accessKeys: new Map(keys.map((key) => [key.access_key_id, key.expires_at])),
    subscriptions: new Map(
      subscriptions.flatMap((one) =>
        [one, ...(formerOf.get(one.id) ?? [])].map(({ owner_id, slug }) => [
          addressKey(owner_id, slug, one.version),
          {
            applicationId: id,
            subscriptionId: one.id,
            owner,
            personId: null,
            serviceId: one.service_id,
            serviceVersionId: one.service_version_id,
            scope: {
              of: { by: 'SUBSCRIPTION' as const, subscriptionId: one.id },
              address: serviceEndpoint(platform.addresses, owner_id, slug, one.version).slice(0, -1),
            },
            target: targetOf(one),
            ...timesOf(
              { ...one, versionId: one.service_version_id, retirement: retirementOf(one) },
              offersOf.get(one.service_version_id) ?? [],
            ),
            dataPools: dataPoolParameters(one.parameters, one.runtime),
            isWorkflow: one.type === 'WORKFLOW',
            version: one.version,
            retirement: retiring(platform, one, offers),
            limits: limits.get(one.id)?.limits ?? defaults,
          },
        ]),
      ),
    ),
  };
}

function targetOf(row: { [C in keyof TargetColumns]: TargetColumns[C] | null }): TargetColumns | null {
  const { url, timeout_ms, sealed_credentials } = row;
  return url === null || timeout_ms === null ? null : { url, timeout_ms, sealed_credentials };
}

/** RFC 9745 and RFC 8594, with the version that takes its place (RFC 5829). */
function retiring(
  platform: Platform,
  subscribed: Pick<ServiceVersionRow, 'service_id' | 'version' | 'deprecated_at' | 'sunset_at'>,
  offers: readonly Offer[],
): Retiring | null {
  const retirement = retirementOf(subscribed);
  if (!retirement) return null;
  const { announcedAt, sunset } = retirement;
  const next = offers
    .filter((one) => one.serviceId === subscribed.service_id && !one.retirement)
    .filter((one) => compareVersions(one.version, subscribed.version) < 0)
    .toSorted((a, b) => compareVersions(a.version, b.version))[0];
  const successor = next ? serviceEndpoint(platform.addresses, next.ownerId, next.slug, next.version) : null;
  const headers = {
    deprecation: `@${Math.floor(announcedAt / 1000)}`,
    sunset: new Date(sunset).toUTCString(),
    ...(successor !== null && { link: `<${successor}>; rel="successor-version"` }),
  };
  return { sunset, successor, headers };
}

/** The part of a service address that names the service version. */
export function addressKey(owner: string, name: string, version: string): string {
  return `${owner}/${name}/${version}`;
}
