import type { Platform } from '../../foundation/platform.ts';
import { takeStorage } from '../quotas/index.ts';
import { claimBlob, type Queries } from '../../foundation/storage/index.ts';

/**
 * Claims an uploaded source for a version. It counts in the storage of the service's owner from now on. `replaced` is
 * the size in bytes of the source that it replaces. Throws storage-quota-exceeded.
 */
export async function useSource(
  platform: Platform,
  transaction: Queries,
  serviceId: string,
  { blob, bytes }: { readonly blob: string; readonly bytes: number },
  replaced = 0,
): Promise<void> {
  const owner = await transaction
    .selectFrom('services')
    .select(['owner_type as type', 'owner_id as id'])
    .where('id', '=', serviceId)
    .executeTakeFirstOrThrow();
  await takeStorage(platform, transaction, owner, bytes - replaced);
  await claimBlob(transaction, blob);
}
