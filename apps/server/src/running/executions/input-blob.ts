import type { Platform } from '../../foundation/platform.ts';
import { markOrphan, putOrphan, removeOrphans, type Queries } from '../../foundation/storage/index.ts';

/**
 * Long inputs are blobs. A blob is marked as an orphan before it is stored, and again in the transaction after which
 * nothing reads it. So a crash in between never leaves a blob for ever.
 */

/** Stores the input of an execution that is not accepted yet. Returns the key of the blob. */
export function keepInput(platform: Platform, content: Buffer): Promise<string> {
  return putOrphan(platform, content);
}

/** Detaches the blob from an execution that ends. Returns its key, to be removed after the transaction, or null. */
export async function dropInput(transaction: Queries, id: string, now: number): Promise<string | null> {
  const row = await transaction.selectFrom('executions').select('input_blob').where('id', '=', id).executeTakeFirst();
  if (!row || row.input_blob === null) return null;
  await transaction.updateTable('executions').set({ input_blob: null }).where('id', '=', id).execute();
  await markOrphan(transaction, row.input_blob, now);
  return row.input_blob;
}

/** Removes an input that nothing reads, if it is a blob. */
export async function removeInput({ blobs, database }: Platform, blob: string | null): Promise<void> {
  if (blob !== null) await removeOrphans(database, blobs, [blob]);
}
