import type { Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';

/** Bytes by which a repository may still grow: within its own limit and that of its owner. */
export async function bytesLeft(
  { configuration, database }: Platform,
  { id, owner_type, owner_id }: ImplementationRow,
): Promise<number> {
  const { repositoryBytes, ownerBytes } = configuration.repositories;
  const rows = await database.read
    .selectFrom('implementations')
    .select(['id', 'bytes'])
    .where('owner_type', '=', owner_type)
    .where('owner_id', '=', owner_id)
    .execute();
  const own = rows.find((row) => row.id === id)?.bytes ?? 0;
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.max(0, Math.min(repositoryBytes - own, ownerBytes - all));
}
