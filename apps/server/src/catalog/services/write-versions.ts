import type { ServiceVersion } from '@kethub/contract';
import type { Revised } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries, ServiceRow } from '../../foundation/storage/index.ts';
import { presentVersion } from './present.ts';
import { findVersion, type VersionRow } from './queries.ts';

/** Finishes a change of a version: increases its revision and returns the version. */
export async function changedVersion(
  platform: Platform,
  transaction: Queries,
  { service, row }: { readonly service: ServiceRow; readonly row: VersionRow },
): Promise<Revised<ServiceVersion>> {
  const revision = row.revision + 1;
  await transaction.updateTable('service_versions').set({ revision }).where('id', '=', row.id).execute();
  const changed = await findVersion(transaction, service.id, row.version);
  if (!changed) throw new Error('The version that was just changed is not there');
  return { body: presentVersion(changed, service, platform), revision };
}
