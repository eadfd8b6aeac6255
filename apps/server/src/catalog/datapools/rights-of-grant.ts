import { isAllowed } from '@kethub/contract';
import type { DataPoolRow, Queries } from '../../foundation/storage/index.ts';
import { subjectOf } from './grants.ts';
import { findPool } from './queries.ts';
import type { ReferencedPool } from './references.ts';
import { roleOn } from './rights.ts';

/** Returns whether an execution may change a pool: it has a grant of MODIFY, whose maker may still change the pool. */
export async function isWritable(queries: Queries, pool: ReferencedPool): Promise<boolean> {
  if (pool.grantedBy?.permission !== 'MODIFY') return false;
  return mayChange(queries, await findPool(queries, pool.id), pool);
}

/** {@link isWritable} for a row that has been read already; undefined is no pool. */
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
