import type { ExecutionEnd } from '@kethub/runtime';
import { hasPools, stageWritten, type WrittenChanges } from '../../catalog/datapools/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { StorageOwner } from '../../catalog/quotas/index.ts';
import { referencedPools } from './prepare.ts';

/** Changes of data pools by an execution, and its owner. */
export interface StagedPools {
  readonly changes: WrittenChanges;
  readonly owner: StorageOwner;
}

/**
 * Stores the files that a successful execution has written to data pools. Null when there are none, or when the
 * execution has ended in the database already. A string says why they cannot be stored.
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

/** An end whose changes of data pools cannot be stored. It is FAILED, with the reason, and keeps its result files. */
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
