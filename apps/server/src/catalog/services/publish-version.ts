import type { RuntimeConfiguration, ServiceVersion, Visibility } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries, ServiceRow } from '../../foundation/storage/index.ts';
import { presentVersion, stateOf } from './present.ts';
import type { VersionRow } from './queries.ts';
import { requireResources } from './resources.ts';
import { requireVersion, type VersionRef } from './versions.ts';
import { registerStarts } from './workflow-versions.ts';
import { requireDeployable } from './workflow/index.ts';

/**
 * Publishes a draft, which must be built if it is managed. A published version cannot be changed, except for its
 * visibility. INTERNAL opens it to applications of its owner and of recipients of a share; SHARED to no application.
 */
export async function publish(
  platform: Platform,
  at: VersionRef,
  visibility: Visibility,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  const { owner, serviceId, version } = at;
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireVersion(transaction, at);
    if (stateOf(row, platform.now()) === 'RETIRED')
      throw new Problem('conflict', `Version ${version} is retired. Publish a newer one.`);
    const isDraft = row.state === 'DRAFT';
    if (isDraft) await requirePublishable(platform, transaction, service, row);
    const column = visibility === 'INTERNAL' ? 'INTERNAL' : 'NONE';
    if (!isDraft && row.visibility === column) return revised(platform, service, row);
    requireMatch(ifMatch, etag(row.revision));
    const values = {
      state: 'PUBLISHED',
      visibility: column,
      published_at: row.published_at ?? platform.now(),
      revision: row.revision + 1,
    } as const;
    await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
    if (isDraft && service.type === 'WORKFLOW') await registerStarts(transaction, service.id, row.id);
    await audit(platform, transaction, owner, 'service:publish', serviceId, { version, visibility });
    return revised(platform, service, { ...row, ...values });
  });
  accessChanged(platform.database);
  return answer;
}

function revised(platform: Platform, service: ServiceRow, row: VersionRow): Revised<ServiceVersion> {
  return { body: presentVersion(row, service, platform), revision: row.revision };
}

/** Checks whether a draft can be published. Throws build-not-succeeded, resource-unavailable and invalid-workflow. */
async function requirePublishable(
  { addresses, configuration }: Platform,
  transaction: Queries,
  service: ServiceRow,
  row: VersionRow,
): Promise<void> {
  if (service.type === 'WORKFLOW') return requireDeployable(transaction, service, row.id);
  if (service.type !== 'MANAGED') return;
  if (row.build_status !== 'SUCCEEDED') {
    throw new Problem(
      'build-not-succeeded',
      `The build of version ${row.version} is ${row.build_status}. Read its log at ${addresses.api}/services/${service.id}/versions/${row.version}/build/log.`,
    );
  }
  await requireResources(transaction, JSON.parse(row.configuration) as RuntimeConfiguration, configuration.scheduling);
}
