import { parse, type ProcessGraph } from '@kethub/workflow';
import type { Platform } from '../../foundation/platform.ts';

/**
 * Number of cached graphs. A compiled graph takes a hundred times the memory of its file. Beyond it, the one used
 * longest ago is evicted.
 */
const REMEMBERED = 200;

/** The compiled graphs of versions, cached. */
export interface Graphs {
  /** Null when the version has been deleted. */
  load(serviceVersionId: string): Promise<ProcessGraph | null>;
}

export function createGraphs({ database, blobs }: Pick<Platform, 'database' | 'blobs'>): Graphs {
  const known = new Map<string, ProcessGraph>();
  const load = async (id: string): Promise<ProcessGraph | null> => {
    const row = await database.read
      .selectFrom('service_versions')
      .select(['source_blob', 'state'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return null;
    const { stream } = await blobs.get(row.source_blob);
    const parsed = await parse(Buffer.concat(await stream.toArray()), { judged: true });
    if ('problems' in parsed) return null;
    // A draft can change: its instances go on with the file that they find.
    if (row.state !== 'DRAFT') remember(id, parsed.graph);
    return parsed.graph;
  };
  const remember = (id: string, graph: ProcessGraph): void => {
    known.delete(id);
    known.set(id, graph);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return {
    async load(id) {
      const graph = known.get(id);
      if (!graph) return load(id);
      remember(id, graph);
      return graph;
    },
  };
}
