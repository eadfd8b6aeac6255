import { toTimestamp, type Member, type MemberRole } from '@kethub/contract';
import { audit } from '../audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { lockOrganization, requireOtherOwner, roleIn } from './memberships.ts';

/**
 * Lists the members in the order in which they joined. Names are empty for members whom the platform does not know yet.
 */
export function readMembers(platform: Platform, { id }: Context): Promise<Member[]> {
  return membersOf(platform.database.read, id);
}

/** Changes the role of a member. Throws conflict for the last owner. */
export function changeRole(
  platform: Platform,
  context: Context,
  userId: string,
  role: MemberRole,
): Promise<Member | undefined> {
  return platform.database.write(async (transaction) => {
    const before = await requireMember(platform, transaction, context, userId);
    if (before === 'OWNER' && role !== 'OWNER') await requireOtherOwner(transaction, context.id, userId);
    await transaction
      .updateTable('memberships')
      .set({ role })
      .where('organization_id', '=', context.id)
      .where('user_id', '=', userId)
      .execute();
    await audit(platform, transaction, context, 'member:change', userId, { from: before, to: role });
    return (await membersOf(transaction, context.id)).find((one) => one.userId === userId);
  });
}

/** Removes a member from the organization. Throws conflict for the last owner. */
export async function removeMember(platform: Platform, context: Context, userId: string): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const role = await requireMember(platform, transaction, context, userId);
    if (role === 'OWNER') await requireOtherOwner(transaction, context.id, userId);
    await transaction
      .deleteFrom('memberships')
      .where('organization_id', '=', context.id)
      .where('user_id', '=', userId)
      .execute();
    await audit(platform, transaction, context, 'member:remove', userId, { role });
  });
}

/** Locks the organization and returns the role of a member. Throws `not-found`. */
async function requireMember(
  platform: Platform,
  transaction: Queries,
  { id }: Context,
  userId: string,
): Promise<MemberRole> {
  await lockOrganization(platform.database, transaction, id);
  const role = await roleIn(transaction, id, userId);
  if (!role) throw new Problem('not-found', `The organization has no member ${userId}.`);
  return role;
}

async function membersOf(queries: Queries, organizationId: string): Promise<Member[]> {
  const rows = await queries
    .selectFrom('memberships')
    .leftJoin('users', 'users.id', 'memberships.user_id')
    .select(['user_id', 'role', 'memberships.created_at', 'firstname', 'lastname'])
    .where('organization_id', '=', organizationId)
    .orderBy('memberships.created_at')
    .orderBy('user_id')
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    firstname: row.firstname ?? '',
    lastname: row.lastname ?? '',
    role: row.role,
    joinedAt: toTimestamp(row.created_at),
  }));
}
