import type { DataPool, TransferRequest, UpdateDataPoolRequest } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import { isOwner, requireNewOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { takeStorage } from '../quotas/index.ts';
import type { PoolLabels } from './create-data-pool.ts';
import { poolTag, presentPool } from './present.ts';
import { requireLockedPool, roleOn } from './rights.ts';

/** Changes name, description and labels. */
export function changeDataPool(
  { database }: Platform,
  context: Context,
  id: string,
  change: UpdateDataPoolRequest,
  ifMatch: string | undefined,
  { shortDescription, tags }: PoolLabels = {},
): Promise<Tagged<DataPool>> {
  return database.write(async (transaction) => {
    const { pool, role } = await requireLockedPool(database, transaction, context, id, 'data-pool:change');
    requireMatch(ifMatch, poolTag(pool, role));
    const values = {
      name: change.name?.trim() ?? pool.name,
      description: change.description ?? pool.description,
      revision: pool.revision + 1,
      ...(shortDescription !== undefined && { short_description: shortDescription }),
      ...(tags !== undefined && { tags: JSON.stringify(tags) }),
    };
    await transaction.updateTable('data_pools').set(values).where('id', '=', id).execute();
    const changed = { ...pool, ...values };
    return { body: presentPool(changed, role), tag: poolTag(changed, role) };
  });
}

/** Transfers a pool to another owner. Its members stay. Only its owner can transfer it. */
export function transferDataPool(
  platform: Platform,
  context: Context,
  id: string,
  to: TransferRequest,
): Promise<DataPool> {
  const { database } = platform;
  return database.write(async (transaction) => {
    const { pool, role: before } = await requireLockedPool(database, transaction, context, id, 'data-pool:transfer');
    if (!isOwner(pool, context)) {
      throw new Problem('not-permitted', 'Only the owner of the data pool can give it away; you are a member.');
    }
    const owner = await requireNewOwner(platform, transaction, context, to, 'data-pool:create');
    if (isOwner(pool, to)) return presentPool(pool, before);
    await takeStorage(platform, transaction, to, pool.bytes);
    const values = { ...owner, revision: pool.revision + 1 };
    await transaction.updateTable('data_pools').set(values).where('id', '=', id).execute();
    // The new owner needs no membership.
    await transaction
      .deleteFrom('data_pool_members')
      .where('data_pool_id', '=', id)
      .where('member_type', '=', to.type)
      .where('member_id', '=', to.id)
      .execute();
    const detail = { name: pool.name, from: { type: context.type, id: context.id }, to };
    await audit(platform, transaction, context, 'data-pool:transfer', id, detail);
    const receiver = { ...context, type: to.type, id: to.id };
    await audit(platform, transaction, receiver, 'data-pool:transfer', id, detail);
    const moved = { ...pool, ...values };
    const role = (await roleOn(transaction, moved, context)) ?? context.role;
    return presentPool(moved, role);
  });
}
