import { isAllowed } from '@kethub/contract';
import type { DataPoolRow, Queries } from '../../foundation/storage/index.ts';
import { subjectOf } from './grants.ts';
import { findPool } from './queries.ts';
import type { ReferencedPool } from './references.ts';
import { roleOn } from './rights.ts';

/** Whether an execution may change a pool that it refers to: it has a grant of MODIFY, whose maker may do so now. */
export async function isWritable(queries: Queries, pool: ReferencedPool): Promise<boolean> {
  if (pool.grantedBy?.permission !== 'MODIFY') return false;
  return mayChange(queries, await findPool(queries, pool.id), pool);
}

/** The same for a pool that was read already, or is not there. */
export async function mayChange(
  queries: Queries,
  row: DataPoolRow | undefined,
  { grantedBy }: Pick<ReferencedPool, 'grantedBy'>,
): Promise<boolean> {
  if (!row || grantedBy?.permission !== 'MODIFY') return false;
  const subject = await subjectOf(queries, grantedBy);
  const role = subject && (await roleOn(queries, row, subject));
  return role !== null && isAllowed(role, 'data-pool-file:write') && isAllowed(role, 'data-pool-file:delete');
}
