import type { Access } from '@kethub/contract';
import { sharedVersions } from '../services/index.ts';
import type { Queries, ServiceRow, ServiceVersionRow } from '../../foundation/storage/index.ts';

/**
 * The interfaces of a version that an active share opens to its recipient. A share alone opens the job interface. The
 * API needs an internal publication as well. An on-premise service has no job interface.
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
