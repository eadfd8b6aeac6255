import type { Queries } from '../storage/index.ts';
import type { Capacity } from './capacity.ts';

/** Capacities that the workers of this installation have reported, without lost workers. */
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
