import { MOST_MADE_VERSIONS, toTimestamp, type MadeVersion } from '@kethub/contract';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireImplementation } from './rights.ts';

/** The versions of the caller's services that were made of an implementation, newest first. */
export async function readMadeVersions({ database }: Platform, context: Context, id: string): Promise<MadeVersion[]> {
  await requireImplementation(database.read, context, id, 'implementation:read');
  const rows = await database.read
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select(['services.id', 'services.name', 'service_versions.version', 'service_versions.state'])
    .select(['service_versions.source_ref', 'service_versions.source_commit', 'service_versions.created_at'])
    .where('service_versions.source_implementation_id', '=', id)
    .where('services.owner_type', '=', context.type)
    .where('services.owner_id', '=', context.id)
    .orderBy('service_versions.created_at', 'desc')
    .limit(MOST_MADE_VERSIONS)
    .execute();
  return rows.map((row) => ({
    serviceId: row.id,
    serviceName: row.name,
    version: row.version,
    state: row.state,
    ref: row.source_ref ?? '',
    commit: row.source_commit ?? '',
    createdAt: toTimestamp(row.created_at),
  }));
}
