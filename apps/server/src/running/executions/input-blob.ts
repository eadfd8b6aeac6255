import type { Platform } from '../../foundation/platform.ts';
import { markOrphan, putOrphan, removeOrphans, type Queries } from '../../foundation/storage/index.ts';

/**
 * Long inputs lie in blobs. One is noted as unused before it is stored, and again in the transaction from which on nobody
 * reads it: a crash in between leaves nothing for ever.
 */

/** Stores the input of an execution that is not accepted yet. */
export function keepInput(platform: Platform, content: Buffer): Promise<string> {
  return putOrphan(platform, content);
}

/** Takes the blob from an execution that ends; what is returned is to be removed after the transaction. */
export async function dropInput(transaction: Queries, id: string, now: number): Promise<string | null> {
  const row = await transaction.selectFrom('executions').select('input_blob').where('id', '=', id).executeTakeFirst();
  if (!row || row.input_blob === null) return null;
  await transaction.updateTable('executions').set({ input_blob: null }).where('id', '=', id).execute();
  await markOrphan(transaction, row.input_blob, now);
  return row.input_blob;
}

/** Removes what nobody reads any more, or nobody will. */
export async function removeInput({ blobs, database }: Platform, blob: string | null): Promise<void> {
  if (blob !== null) await removeOrphans(database, blobs, [blob]);
}
