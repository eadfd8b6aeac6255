import { toTimestamp, type Layer } from '@kethub/contract';
import { sql } from 'kysely';
import { audit, ownContext } from '../../../people/audit/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { Person, Platform } from '../../../foundation/platform.ts';
import type { Queries } from '../../../foundation/storage/index.ts';
import { LAYERS_WANTED } from './keeper.ts';

/** Layers that an answer lists. Older ones are left out. */
const MOST = 10_000;

export function readLayers({ database }: Platform): Promise<Layer[]> {
  return layersIn(database.read, null);
}

/** Records that every worker is to purge or rebuild a layer. Throws not-found. */
export async function changeLayer(
  platform: Platform,
  administrator: Person,
  id: string,
  wanted: 'PURGE' | 'REBUILD',
): Promise<Layer[]> {
  const layers = await platform.database.write(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('layers')
      .set({ wanted, problem: null })
      .where('layer', '=', `layers/${id}`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Problem('not-found', `No worker has a layer ${id}. GET /layers lists them.`);
    const action = wanted === 'PURGE' ? 'layer:purge' : 'layer:rebuild';
    await audit(platform, transaction, ownContext(administrator.id), action, id);
    return layersIn(transaction, id);
  });
  platform.database.notify(LAYERS_WANTED, id);
  return layers;
}

async function layersIn(queries: Queries, id: string | null): Promise<Layer[]> {
  const versions = sql<number>`(select cast(count(*) as integer) from service_versions where service_versions.layer = layers.layer)`;
  let query = queries.selectFrom('layers').selectAll().select(versions.as('versions'));
  if (id !== null) query = query.where('layer', '=', `layers/${id}`);
  const rows = await query.orderBy('created_at', 'desc').orderBy('layer').orderBy('worker_id').limit(MOST).execute();
  return rows.map((row) => ({
    id: row.layer.replace(/^layers\//, ''),
    workerId: row.worker_id,
    python: row.python,
    packages: JSON.parse(row.packages) as string[],
    bytes: row.bytes,
    createdAt: toTimestamp(row.created_at),
    usedAt: toTimestamp(row.used_at),
    versions: row.versions,
    ...(row.wanted !== null && { wanted: row.wanted }),
    ...(row.problem !== null && { problem: row.problem }),
  }));
}
