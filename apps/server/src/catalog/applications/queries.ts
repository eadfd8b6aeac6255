import { sql } from 'kysely';
import type { Context } from '../../foundation/platform.ts';
import { containing } from '../../foundation/storage/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/** The SQL of applications, access keys and subscriptions. Every query names the owner. */

/** Applications older than `cursor`, newest first. */
export function pageOfApplications(
  queries: Queries,
  owner: Context,
  { q }: { readonly q?: string | undefined },
  cursor: string | null,
  limit: number,
) {
  const rows = queries
    .selectFrom('applications')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where(q === undefined ? sql<boolean>`true` : containing('name', q))
    .orderBy('id', 'desc')
    .limit(limit);
  return (cursor === null ? rows : rows.where('id', '<', cursor)).execute();
}

/** Reads an application of `owner`. In a transaction of PostgreSQL its row is locked until the transaction ends. */
export function findApplication(queries: Queries, owner: Context, id: string) {
  const application = queries
    .selectFrom('applications')
    .selectAll()
    .where('id', '=', id)
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id);
  return (queries.isTransaction ? application.forNoKeyUpdate() : application).executeTakeFirst();
}

/** Access keys that still work, newest first. */
export function accessKeysOf(queries: Queries, applicationIds: readonly string[], now: number) {
  return queries
    .selectFrom('access_keys')
    .selectAll()
    .where('application_id', 'in', [...applicationIds, ''])
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute();
}

/** Subscriptions of an application, newest first. */
export function subscriptionsOf(queries: Queries, applicationId: string) {
  return queries
    .selectFrom('subscriptions')
    .innerJoin('service_versions', 'service_versions.id', 'subscriptions.service_version_id')
    .innerJoin('services', 'services.id', 'subscriptions.service_id')
    .leftJoin('accepted_plans', 'accepted_plans.subscription_id', 'subscriptions.id')
    .select([
      'subscriptions.id',
      'subscriptions.service_id',
      'subscriptions.created_at',
      'services.name',
      'services.slug',
      'services.owner_id',
      'service_versions.version',
      'service_versions.configuration',
      'subscriptions.basis',
      'accepted_plans.pricing_plan',
    ])
    .where('subscriptions.application_id', '=', applicationId)
    .orderBy('subscriptions.id', 'desc');
}
