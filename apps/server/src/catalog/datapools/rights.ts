import { isAllowed, operations, type MemberRole, type Operation } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Context } from '../../foundation/platform.ts';
import type { Database, DataPoolRow, Queries } from '../../foundation/storage/index.ts';
import { isOwner, restrict, type Subject } from '../../people/organizations/index.ts';
import { findPool, lockPool, roleOfMember } from './queries.ts';

/**
 * Decides every access to a data pool: the role of a subject on it, or null when the pool is not shared with the
 * subject. A person who acts for a member organization has no more rights than their role there.
 */
export async function roleOn(queries: Queries, pool: DataPoolRow, subject: Subject): Promise<MemberRole | null> {
  if (isOwner(pool, subject)) return subject.role;
  const granted = await roleOfMember(queries, pool.id, subject);
  return granted && restrict(granted, subject);
}

interface PoolOfCaller {
  readonly pool: DataPoolRow;
  readonly role: MemberRole;
}

/**
 * Returns the pool if the operation is allowed. Throws `not-found` for a caller without a role on it, else
 * `not-permitted`.
 */
export async function requirePool(
  queries: Queries,
  context: Context,
  id: string,
  operation: Operation,
): Promise<PoolOfCaller> {
  return judge(queries, await findPool(queries, id), context, id, operation);
}

/** {@link requirePool} that locks the pool, so that no other transaction changes it, its members or its files. */
export async function requireLockedPool(
  database: Database,
  transaction: Queries,
  context: Context,
  id: string,
  operation: Operation,
): Promise<PoolOfCaller> {
  return judge(transaction, await lockPool(database, transaction, id), context, id, operation);
}

async function judge(
  queries: Queries,
  pool: DataPoolRow | undefined,
  context: Context,
  id: string,
  operation: Operation,
): Promise<PoolOfCaller> {
  const role = pool && (await roleOn(queries, pool, context));
  if (!pool || !role) throw new Problem('not-found', `There is no data pool ${id}, or you may not see it.`);
  if (isAllowed(role, operation)) return { pool, role };
  throw new Problem(
    'not-permitted',
    `This takes the role ${operations[operation]} on the data pool; yours is ${role}. Ask an owner of it.`,
  );
}
