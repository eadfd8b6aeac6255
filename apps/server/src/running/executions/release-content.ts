import { isAmong, markOrphans, type ExecutionRow, type Queries } from '../../foundation/storage/index.ts';

type Content = Pick<ExecutionRow, 'id' | 'input_blob' | 'result_blob' | 'log_blob'>;

/**
 * Detaches result files and blobs from executions that are deleted or have expired. Returns the blobs, marked as
 * orphans: the caller removes them after the transaction, or else the sweeper does.
 */
export async function releaseContent(transaction: Queries, rows: readonly Content[], now: number): Promise<string[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const files = await transaction
    .deleteFrom('execution_files')
    .where(isAmong(transaction, 'execution_id', ids))
    .returning('blob')
    .execute();
  const own = rows.flatMap(({ input_blob, result_blob, log_blob }) => [input_blob, result_blob, log_blob]);
  const blobs = [...own.filter((blob) => blob !== null), ...files.map(({ blob }) => blob)];
  await markOrphans(transaction, blobs, now);
  return blobs;
}
