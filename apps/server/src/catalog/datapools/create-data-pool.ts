import type { CreateDataPoolRequest, DataPool } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { once, type IdempotencyKey } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { DataPoolRow } from '../../foundation/storage/index.ts';
import { dataPoolAnswersOf } from './catalog.ts';
import { presentPool } from './present.ts';

/** Members that only some clients set. */
export interface PoolLabels {
  readonly shortDescription?: string;
  readonly tags?: readonly string[];
}

/** Creates an empty data pool. */
export function createDataPool(
  platform: Platform,
  owner: Context,
  { name, description = '' }: CreateDataPoolRequest,
  idempotencyKey: IdempotencyKey,
  { shortDescription = '', tags = [] }: PoolLabels = {},
): Promise<DataPool> {
  const now = platform.now();
  const labels = shortDescription === '' && tags.length === 0 ? [] : [shortDescription, tags];
  const body = JSON.stringify([name, description, ...labels]);
  return once(platform, idempotencyKey, dataPoolAnswersOf(owner), body, async (transaction) => {
    await lockOwnerShared(platform, transaction, owner);
    const row: DataPoolRow = {
      id: platform.newId(),
      owner_type: owner.type,
      owner_id: owner.id,
      name: name.trim(),
      description,
      files: 0,
      bytes: 0,
      created_at: now,
      revision: 1,
      short_description: shortDescription,
      tags: JSON.stringify(tags),
    };
    await transaction.insertInto('data_pools').values(row).execute();
    await audit(platform, transaction, owner, 'data-pool:create', row.id, { name: row.name });
    return presentPool(row, owner.role);
  });
}
