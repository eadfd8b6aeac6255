import type { ExecutionEnd } from '@kethub/runtime';
import { hasPools, stageWritten, type WrittenChanges } from '../../catalog/datapools/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { StorageOwner } from '../../catalog/quotas/index.ts';
import { referencedPools } from './prepare.ts';

/** What an execution has changed of data pools, and who it runs for. */
export interface StagedPools {
  readonly changes: WrittenChanges;
  readonly owner: StorageOwner;
}

/**
 * Stores what an execution that succeeded has written to data pools. Null when there is nothing, also for one that has ended
 * in the database: it was cancelled, or its end is kept already. A text says why nothing of it can be kept.
 */
export async function stagePools(platform: Platform, end: ExecutionEnd): Promise<StagedPools | string | null> {
  const id = end.executionId;
  if (end.outcome !== 'SUCCEEDED' || (end.dataPools === undefined && !hasPools(platform, id))) return null;
  const query = platform.database.read.selectFrom('executions').selectAll().where('id', '=', id);
  const row = await query.executeTakeFirst();
  const pools = row?.status === 'RUNNING' ? referencedPools(row) : null;
  if (pools === null) return null;
  const changes = await stageWritten(platform, end, pools);
  return changes === null || typeof changes === 'string' ? changes : { changes, owner: pools.reader };
}

/** An end whose changes of data pools cannot be kept. It is FAILED, with the reason, and keeps its result files. */
export function withoutPools(end: ExecutionEnd, reason: string): ExecutionEnd {
  const { dataPools: _dataPools, ...rest } = end;
  const detail = `The program succeeded, but no data pool was changed. ${reason}`;
  return {
    ...rest,
    outcome: 'FAILED',
    result: null,
    cause: { type: 'about:blank', title: 'Data pool not changed', detail },
  };
}
