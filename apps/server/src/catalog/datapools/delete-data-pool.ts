import { audit } from '../../people/audit/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { removeOrphans } from '../../foundation/storage/index.ts';
import { auditContext } from '../../people/organizations/index.ts';
import { requireLockedPool } from './rights.ts';

/** Deletes a pool with its files. Running executions keep the files that they were given. */
export async function deleteDataPool(platform: Platform, context: Context, id: string): Promise<void> {
  const { database, blobs } = platform;
  const unused = await database.write(async (transaction) => {
    const { pool } = await requireLockedPool(database, transaction, context, id, 'data-pool:delete');
    const files = transaction.selectFrom('data_pool_files').where('data_pool_id', '=', id);
    const keys = (await files.select('blob').execute()).map(({ blob }) => blob);
    await transaction
      .insertInto('orphan_blobs')
      .columns(['blob', 'marked_at'])
      .expression(files.select((row) => ['blob', row.val(platform.now()).as('marked_at')]))
      .execute();
    await transaction.deleteFrom('data_pools').where('id', '=', id).execute();
    const detail = { name: pool.name, files: pool.files, bytes: pool.bytes };
    await audit(platform, transaction, auditContext(pool, context), 'data-pool:delete', id, detail);
    return keys;
  });
  await removeOrphans(database, blobs, unused);
}
