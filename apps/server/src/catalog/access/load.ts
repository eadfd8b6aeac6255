import { compareVersions } from '@kethub/contract';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { serviceEndpoint, type Platform } from '../../foundation/platform.ts';
import type { ServiceVersionRow, Tables } from '../../foundation/storage/index.ts';
import { limitsOfSubscriptions } from '../limits/index.ts';
import type { TargetColumns } from '../on-premise/index.ts';
import { programOf } from '../services/index.ts';
import { offersTo, retirementOf, timesOf, type Offer } from './offers.ts';
import {
  addressKey,
  type AccessKeyEntry,
  type ApplicationAccess,
  type SubscribedRetirement,
  type Subscriber,
} from './subscriber.ts';

/** Null when there is no such key, or its owner is blocked. */
export async function loadAccessKey(platform: Platform, accessKeyId: string): Promise<AccessKeyEntry | null> {
  const row = await platform.database.read
    .selectFrom('access_keys')
    .innerJoin('applications', 'applications.id', 'access_keys.application_id')
    .select(['application_id', 'secret_digest', 'expires_at'])
    .where('access_key_id', '=', accessKeyId)
    .where(ownerMayCall)
    .executeTakeFirst();
  return row ? { applicationId: row.application_id, secretDigest: row.secret_digest, expiresAt: row.expires_at } : null;
}

/** The condition that the owner of an application is not blocked. An organization is never blocked. */
function ownerMayCall(where: ExpressionBuilder<Tables, 'applications'>): Expression<SqlBool> {
  const blocked = where.selectFrom('blocked_users').select('user_id').whereRef('user_id', '=', 'applications.owner_id');
  return where.or([where('applications.owner_type', '!=', 'USER'), where.not(where.exists(blocked))]);
}

/** Null when there is no such application, or its owner is blocked. */
export async function loadApplication(platform: Platform, id: string): Promise<ApplicationAccess | null> {
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
  // A subscription is valid only while its version is still offered to the owner.
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
  const subscribers = subscriptions.flatMap((one) => {
    const { active, readable } = timesOf(
      { ...one, versionId: one.service_version_id, retirement: retirementOf(one) },
      offersOf.get(one.service_version_id) ?? [],
    );
    const subscriber = {
      applicationId: id,
      owner,
      subscriptionId: one.id,
      serviceId: one.service_id,
      serviceVersionId: one.service_version_id,
      version: one.version,
      program: programOf(one),
      target: targetOf(one),
      active,
      readable,
      retirement: subscribedRetirement(platform, one, offers),
      limits: limits.get(one.id)?.limits ?? defaults,
    };
    return [one, ...(formerOf.get(one.id) ?? [])].map(({ owner_id, slug }): [string, Subscriber] => {
      const address = serviceEndpoint(platform.addresses, owner_id, slug, one.version).slice(0, -1);
      return [addressKey({ owner: owner_id, service: slug, version: one.version }), { ...subscriber, address }];
    });
  });
  return {
    ownerId: application.owner_id,
    accessKeys: new Map(keys.map((key) => [key.access_key_id, key.expires_at])),
    subscriptions: new Map(subscribers),
  };
}

function targetOf(row: { [C in keyof TargetColumns]: TargetColumns[C] | null }): TargetColumns | null {
  const { url, timeout_ms, sealed_credentials } = row;
  return url === null || timeout_ms === null ? null : { url, timeout_ms, sealed_credentials };
}

/** The retirement of a version, with the newest version that stays and is offered. */
function subscribedRetirement(
  { addresses }: Platform,
  subscribed: Pick<ServiceVersionRow, 'service_id' | 'version' | 'deprecated_at' | 'sunset_at'>,
  offers: readonly Offer[],
): SubscribedRetirement | null {
  const retirement = retirementOf(subscribed);
  if (!retirement) return null;
  const next = offers
    .filter((one) => one.serviceId === subscribed.service_id && !one.retirement)
    .filter((one) => compareVersions(one.version, subscribed.version) > 0)
    .toSorted((a, b) => compareVersions(b.version, a.version))[0];
  const successor = next ? serviceEndpoint(addresses, next.ownerId, next.slug, next.version) : null;
  return { ...retirement, successor };
}
