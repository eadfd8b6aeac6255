import type { StorageQuota, StorageQuotaRequest } from '@kethub/contract';
import { audit, ownContext } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Person, Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { readStorage, type StorageOwner } from './storage-use.ts';

/** `PUT /storage/quotas/{type}/{id}`: sets the quota of one owner in place of the general one. Throws not-found. */
export async function setQuota(
  platform: Platform,
  administrator: Person,
  owner: StorageOwner,
  { quotaBytes }: StorageQuotaRequest,
): Promise<StorageQuota> {
  const of = { owner_type: owner.type, owner_id: owner.id };
  const { used, quota } = await platform.database.write(async (transaction) => {
    await requireOwner(transaction, owner);
    await transaction
      .deleteFrom('storage_quotas')
      .where('owner_type', '=', owner.type)
      .where('owner_id', '=', owner.id)
      .execute();
    if (quotaBytes !== undefined)
      await transaction
        .insertInto('storage_quotas')
        .values({ ...of, bytes: quotaBytes })
        .execute();
    const detail = { owner: { type: owner.type, id: owner.id }, quotaBytes: quotaBytes ?? null };
    await audit(platform, transaction, ownContext(administrator.id), 'storage-quota:set', owner.id, detail);
    return readStorage(platform, transaction, owner);
  });
  return { ownerType: owner.type, ownerId: owner.id, usedBytes: used, quotaBytes: quota };
}

async function requireOwner(queries: Queries, { type, id }: StorageOwner): Promise<void> {
  const table = type === 'USER' ? 'users' : 'organizations';
  const row = await queries.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (!row) throw new Problem('not-found', `There is no ${type === 'USER' ? 'person' : 'organization'} ${id}.`);
}
