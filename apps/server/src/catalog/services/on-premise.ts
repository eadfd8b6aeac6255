import type { ServiceVersion, TargetRequest } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import { presentTarget, targetColumns, updateTarget } from '../on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { stateOf, targetOf } from './present.ts';
import { requireVersion, type VersionRef } from './versions.ts';
import { changedVersion } from './write-versions.ts';

/** Changes the target of a version, also of a published one: a provider moves a host without moving the subscribers. */
export async function setTarget(
  platform: Platform,
  at: VersionRef,
  target: TargetRequest,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  const { owner, serviceId, version } = at;
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireVersion(transaction, at);
    const before = targetOf(row);
    if (!before)
      throw new Problem('not-found', `The service ${service.name} does not run elsewhere: it has no target.`);
    if (stateOf(row, platform.now()) === 'RETIRED')
      throw new Problem(
        'version-published',
        `Version ${version} is retired: nobody can call it, and its target stays.`,
      );
    requireMatch(ifMatch, etag(row.revision));
    const columns = targetColumns(platform, target, before, '');
    await updateTarget(transaction, row.id, columns);
    await audit(platform, transaction, owner, 'service:change', serviceId, {
      version,
      from: presentTarget(before),
      to: presentTarget(columns),
      newCredentials: Boolean(target.credentials),
    });
    return changedVersion(platform, transaction, { service, row });
  });
  accessChanged(platform.database);
  return answer;
}
