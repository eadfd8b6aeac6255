import type { Context } from '../platform.ts';
import type { Database, Queries } from '../storage/index.ts';

/** The SQL of applications, access keys and subscriptions. Everything is asked together with its owner. */

export function listApplications(database: Database, owner: Context) {
  return database.read
    .selectFrom('applications')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .orderBy('id', 'desc')
    .execute();
}

export function findApplication(queries: Queries, owner: Context, id: string) {
  return queries
    .selectFrom('applications')
    .selectAll()
    .where('id', '=', id)
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst();
}

export function accessKeysOf(queries: Queries, applicationIds: readonly string[], now: number) {
  return queries
    .selectFrom('access_keys')
    .selectAll()
    .where('application_id', 'in', [...applicationIds, ''])
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute();
}

/** Keeps an application with its owner until the end of the transaction. On SQLite every transaction is alone already. */
export async function holdApplication({ dialect }: Database, transaction: Queries, id: string): Promise<void> {
  if (dialect === 'sqlite') return;
  await transaction.selectFrom('applications').select('id').where('id', '=', id).forShare().execute();
}

export function listSubscriptions(queries: Queries, applicationId: string) {
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
    .orderBy('subscriptions.id', 'desc')
    .execute();
}
