import type { Access } from '@kethub/contract';
import { sharedVersions } from '../services/index.ts';
import type { Queries, ServiceRow, ServiceVersionRow } from '../../foundation/storage/index.ts';

/**
 * What an active share opens of a version that recipients may run. A share alone opens the job interface; the API needs an
 * internal publication as well. A service that runs elsewhere has no job interface.
 */
export function openedBy(
  type: ServiceRow['type'],
  { state, visibility }: Pick<ServiceVersionRow, 'state' | 'visibility'>,
): Access[] {
  const jobs: Access[] = type === 'ON_PREMISE' ? [] : ['JOBS'];
  return state === 'PUBLISHED' && visibility === 'INTERNAL' ? [...jobs, 'API'] : jobs;
}

/** The interfaces that an active share of the service opens, with its present versions. */
export async function openedByService(
  queries: Queries,
  { id, type }: Pick<ServiceRow, 'id' | 'type'>,
  now: number,
): Promise<Access[]> {
  const opened = (await sharedVersions(queries, [id], now)).flatMap((version) => openedBy(type, version));
  return [...new Set(opened)].sort((one, other) => other.localeCompare(one));
}
