import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { offersTo, retirementOf, timesOf, type Offer } from '../../catalog/access/index.ts';
import { inputOf } from '../executions/index.ts';
import { limitsOfSubscriptions } from '../../catalog/limits/index.ts';
import type { TargetColumns } from '../../catalog/on-premise/index.ts';
import { serviceEndpoint, type Platform } from '../../foundation/platform.ts';
import { compareVersions } from '../../catalog/services/index.ts';
import type { ServiceVersionRow, Tables } from '../../foundation/storage/index.ts';
import type { AccessKeyEntry, ApplicationAccess, Retiring, Subscriber } from './access.ts';
import { createPlaces, type ServicePath, type ServicePlace } from './service-path.ts';

/** Reads what applications may do from the database; null for what is not there (any more). */
export interface AccessLoader {
  accessKey(accessKeyId: string): Promise<AccessKeyEntry | null>;
  application(id: string): Promise<ApplicationAccess | null>;
}

export function createLoader(platform: Platform): AccessLoader {
  const placeOf = createPlaces(platform.addresses);
  return {
    accessKey: (accessKeyId) => loadAccessKey(platform, accessKeyId),
    application: (id) => loadApplication(platform, placeOf, id),
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

async function loadApplication(
  platform: Platform,
  placeOf: (path: ServicePath) => ServicePlace,
  id: string,
): Promise<ApplicationAccess | null> {
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
        [one, ...(formerOf.get(one.id) ?? [])].map(({ owner_id, slug }) => {
          const { path, key, address } = placeOf({ owner: owner_id, service: slug, version: one.version });
          const { active, readable } = timesOf(
            { ...one, versionId: one.service_version_id, retirement: retirementOf(one) },
            offersOf.get(one.service_version_id) ?? [],
          );
          const subscriber: Subscriber = {
            isRemembered: false,
            path,
            readable,
            active,
            target: targetOf(one),
            retirement: retiring(platform, one, offers),
            limits: limits.get(one.id)?.limits ?? defaults,
            scope: { of: { by: 'SUBSCRIPTION', subscriptionId: one.id }, address },
            subscriptionId: one.id,
            applicationId: id,
            owner,
            personId: null,
            serviceId: one.service_id,
            serviceVersionId: one.service_version_id,
            ...inputOf(one.parameters, one.runtime),
            isWorkflow: one.type === 'WORKFLOW',
            version: path.version,
          };
          return [key, subscriber] as const;
        }),
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
