import type { Queries } from '../storage/index.ts';
import type { Capacity } from './capacity.ts';

/** What the workers of this installation have told of their machines; those that were given up do not count. */
export async function knownCapacities(queries: Queries): Promise<Capacity[]> {
  const rows = await queries
    .selectFrom('workers')
    .select(['cpus', 'memory_bytes', 'gpus'])
    .where('lost_at', 'is', null)
    .execute();
  return rows.flatMap(({ cpus, memory_bytes, gpus }) =>
    cpus === null || memory_bytes === null || gpus === null
      ? []
      : [{ cpus, memoryBytes: memory_bytes, gpus: JSON.parse(gpus) as Record<string, number> }],
  );
}
