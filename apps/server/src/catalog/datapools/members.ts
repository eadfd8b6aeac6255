import { limits, type DataPoolMember, type MemberRole } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import { auditContext, isOwner, lockNewMember, requireNewMember } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { presentMember } from './present.ts';
import { lockPool, roleOfMember } from './queries.ts';
import { requireLockedPool, requirePool } from './rights.ts';

export interface MemberPath {
  readonly dataPoolId: string;
  readonly memberType: OwnerType;
  readonly memberId: string;
}

/** Lists the members in the order in which they were added. */
export async function readMembers({ database }: Platform, context: Context, id: string): Promise<DataPoolMember[]> {
  await requirePool(database.read, context, id, 'data-pool-member:list');
  const rows = await database.read
    .selectFrom('data_pool_members')
    .selectAll()
    .where('data_pool_id', '=', id)
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  return rows.map(presentMember);
}

/** Adds a member, or changes the role of one. */
export async function putMember(
  platform: Platform,
  identity: IdentityProvider,
  context: Context,
  path: MemberPath,
  role: MemberRole,
): Promise<{ readonly member: DataPoolMember; readonly isNew: boolean }> {
  const { database } = platform;
  const { dataPoolId: id, memberType: type, memberId } = path;
  await requirePool(database.read, context, id, 'data-pool-member:change');
  await requireNewMember(identity, { type, id: memberId });
  return database.write(async (transaction) => {
    const { pool } = await requireLockedPool(database, transaction, context, id, 'data-pool-member:change');
    if (isOwner(pool, { type, id: memberId })) throw new Problem('conflict', 'The owner has all rights already.');
    await lockNewMember(platform, transaction, { type, id: memberId });
    const before = await roleOfMember(transaction, id, { type, id: memberId });
    if (!before) await requireMemberLimit(transaction, id);
    const row = { data_pool_id: id, member_type: type, member_id: memberId, role, created_at: platform.now() };
    const kept = await transaction
      .insertInto('data_pool_members')
      .values(row)
      .onConflict((conflict) => conflict.columns(['data_pool_id', 'member_type', 'member_id']).doUpdateSet({ role }))
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { member: { type, id: memberId }, from: before, to: role };
    await audit(platform, transaction, auditContext(pool, context), 'data-pool-member:change', id, detail);
    return { member: presentMember(kept), isNew: !before };
  });
}

/** Removes a member. Executions that the member has started go on. */
export async function removeMember(platform: Platform, context: Context, path: MemberPath): Promise<void> {
  const { database } = platform;
  const { dataPoolId: id, memberType: type, memberId } = path;
  await database.write(async (transaction) => {
    const { pool } = await requireLockedPool(database, transaction, context, id, 'data-pool-member:remove');
    const role = await deleteMember(transaction, path);
    if (!role) throw new Problem('not-found', `The data pool has no member ${type} ${memberId}.`);
    const detail = { member: { type, id: memberId }, role };
    await audit(platform, transaction, auditContext(pool, context), 'data-pool-member:remove', id, detail);
  });
}

/** Ends the membership of the caller, or of the organization for which the caller acts. */
export async function leave(platform: Platform, context: Context, id: string): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const pool = await lockPool(database, transaction, id);
    if (pool && isOwner(pool, context))
      throw new Problem('conflict', 'The owner cannot leave. Transfer the data pool, or delete it.');
    const path = { dataPoolId: id, memberType: context.type, memberId: context.id };
    const role = pool && (await deleteMember(transaction, path));
    if (!role) throw new Problem('not-found', `There is no data pool ${id}, or you may not see it.`);
    const detail = { member: { type: context.type, id: context.id }, role };
    await audit(platform, transaction, auditContext(pool, context), 'data-pool:leave', id, detail);
  });
}

async function deleteMember(transaction: Queries, path: MemberPath): Promise<MemberRole | undefined> {
  const row = await transaction
    .deleteFrom('data_pool_members')
    .where('data_pool_id', '=', path.dataPoolId)
    .where('member_type', '=', path.memberType)
    .where('member_id', '=', path.memberId)
    .returning('role')
    .executeTakeFirst();
  return row?.role;
}

async function requireMemberLimit(transaction: Queries, id: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('data_pool_members')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('data_pool_id', '=', id)
    .executeTakeFirstOrThrow();
  if (count >= limits.membersOfDataPool)
    throw new Problem('conflict', `A data pool has at most ${limits.membersOfDataPool} members.`);
}
