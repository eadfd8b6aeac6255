import type { Queries } from '../../foundation/storage/index.ts';
import type { Change } from './change.ts';

/** Ids in one statement. */
const TOGETHER = 500;
/** Builds whose status is remembered; one more forgets all. */
const MOST_STATUSES = 5_000;

/** Events for the owners of executions and the providers of their services. */
export function executionChanges(queries: Queries, ids: readonly string[]): Promise<Change[]> {
  return inParts(ids, async (part) => {
    const rows = await queries
      .selectFrom('executions')
      .leftJoin('services', 'services.id', 'executions.service_id')
      .select(['executions.id', 'executions.type', 'executions.service_id as serviceId'])
      .select(['executions.owner_type as ownerType', 'executions.owner_id as ownerId'])
      .select(['services.owner_type as providerType', 'services.owner_id as providerId'])
      .where('executions.id', 'in', part)
      .execute();
    return rows.flatMap(({ id, type, serviceId, ownerType, ownerId, providerType, providerId }): Change[] => {
      const of = { executionId: id, ...(serviceId !== null && { serviceId }) };
      const kinds = type === 'WORKFLOW' ? (['execution', 'instance'] as const) : (['execution'] as const);
      const owner = ownerType && ownerId ? { type: ownerType, id: ownerId } : null;
      const provider = providerType && providerId ? { type: providerType, id: providerId } : null;
      return [
        ...(owner ? kinds.map((event) => ({ event, owner, of })) : []),
        ...(provider ? [{ event: 'provided-execution' as const, owner: provider, of }] : []),
      ];
    });
  });
}

/**
 * Events about builds for the owners of services. Lines of a log are none: `statuses` has the status of each build that
 * was sent before.
 */
export function buildChanges(
  queries: Queries,
  ids: readonly string[],
  statuses: Map<string, string>,
): Promise<Change[]> {
  return inParts(ids, async (part) => {
    const rows = await queries
      .selectFrom('service_versions')
      .innerJoin('services', 'services.id', 'service_versions.service_id')
      .innerJoin('builds', 'builds.id', 'service_versions.build_id')
      .select(['services.id as serviceId', 'version', 'owner_type as type', 'owner_id as id'])
      .select(['builds.id as buildId', 'builds.status'])
      .where('build_id', 'in', part)
      .execute();
    const changed = rows.filter(({ buildId, status }) => statuses.get(buildId) !== status);
    if (statuses.size > MOST_STATUSES) statuses.clear();
    for (const { buildId, status } of changed) statuses.set(buildId, status);
    return changed.map(({ serviceId, version, type, id }) => ({
      event: 'build' as const,
      owner: { type, id },
      of: { serviceId, version },
    }));
  });
}

async function inParts(
  ids: readonly string[],
  load: (part: readonly string[]) => Promise<Change[]>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (let from = 0; from < ids.length; from += TOGETHER)
    changes.push(...(await load(ids.slice(from, from + TOGETHER))));
  return changes;
}
