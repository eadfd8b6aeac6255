import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { requireFileName } from './file-name.ts';
import { requirePreconditions } from './preconditions.ts';
import { fileTag } from './present.ts';
import { countFiles, findFile } from './queries.ts';
import { requireLockedPool } from './rights.ts';

/** Deletes a file of a pool. */
export async function deleteFile(
  { database, blobs, now }: Platform,
  context: Context,
  poolId: string,
  name: string,
  conditions: { readonly headers: IncomingHttpHeaders },
): Promise<void> {
  requireFileName(name);
  const unused = await database.write(async (transaction) => {
    await requireLockedPool(database, transaction, context, poolId, 'data-pool-file:delete');
    const file = await findFile(transaction, poolId, name);
    if (!file) throw new Problem('not-found', 'The data pool has no file of this name.');
    requirePreconditions(conditions, fileTag(file));
    await transaction.deleteFrom('data_pool_files').where('id', '=', file.id).execute();
    await countFiles(transaction, poolId, { files: -1, bytes: -file.bytes });
    await markOrphan(transaction, file.blob, now());
    return file.blob;
  });
  await removeOrphans(database, blobs, [unused]);
}
