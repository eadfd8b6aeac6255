import { limits, type ImplementationMember, type MemberRole } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import { auditContext, isOwner, lockNewMember, requireNewMember } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { presentMember } from './present.ts';
import { lockImplementation, roleOfMember } from './queries.ts';
import { noImplementation, requireImplementation, requireLocked } from './rights.ts';

export interface MemberPath {
  readonly implementationId: string;
  readonly memberType: OwnerType;
  readonly memberId: string;
}

/** Lists the members in the order in which they were added. */
export async function readMembers(
  { database }: Platform,
  context: Context,
  id: string,
): Promise<ImplementationMember[]> {
  await requireImplementation(database.read, context, id, 'implementation-member:list');
  const rows = await database.read
    .selectFrom('implementation_members')
    .selectAll()
    .where('implementation_id', '=', id)
    .orderBy('created_at')
    .orderBy('member_id')
    .execute();
  return rows.map(presentMember);
}

/** Adds a member, or changes the role of one. Returns whether the member is new. */
export async function putMember(
  platform: Platform,
  identity: IdentityProvider,
  context: Context,
  path: MemberPath,
  role: MemberRole,
): Promise<{ readonly isNew: boolean; readonly member: ImplementationMember }> {
  const { database } = platform;
  const { implementationId: id, memberType: type, memberId } = path;
  await requireImplementation(database.read, context, id, 'implementation-member:change');
  await requireNewMember(identity, { type, id: memberId });
  return database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation-member:change');
    if (isOwner(implementation, { type, id: memberId }))
      throw new Problem('conflict', 'The owner has all rights already.');
    await lockNewMember(platform, transaction, { type, id: memberId });
    const before = await roleOfMember(transaction, id, { type, id: memberId });
    if (!before) await requireMemberLimit(transaction, id);
    const row = { implementation_id: id, member_type: type, member_id: memberId, role, created_at: platform.now() };
    const kept = await transaction
      .insertInto('implementation_members')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['implementation_id', 'member_type', 'member_id']).doUpdateSet({ role }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { member: { type, id: memberId }, from: before, to: role };
    await audit(
      platform,
      transaction,
      auditContext(implementation, context),
      'implementation-member:change',
      id,
      detail,
    );
    return { isNew: !before, member: presentMember(kept) };
  });
}

/** Removes a member. */
export async function removeMember(platform: Platform, context: Context, path: MemberPath): Promise<void> {
  const { database } = platform;
  const { implementationId: id, memberType: type, memberId } = path;
  await database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation-member:remove');
    const role = await deleteMember(transaction, path);
    if (!role) throw new Problem('not-found', `The implementation has no member ${type} ${memberId}.`);
    const detail = { member: { type, id: memberId }, role };
    await audit(
      platform,
      transaction,
      auditContext(implementation, context),
      'implementation-member:remove',
      id,
      detail,
    );
  });
}

/** Ends the membership of the caller, or of the organization for which the caller acts. */
export async function leave(platform: Platform, context: Context, id: string): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const implementation = await lockImplementation(database, transaction, id);
    if (implementation && isOwner(implementation, context))
      throw new Problem('conflict', 'The owner cannot leave. Transfer the implementation, or delete it.');
    const path = { implementationId: id, memberType: context.type, memberId: context.id };
    const role = implementation && (await deleteMember(transaction, path));
    if (!role) throw noImplementation(id);
    const detail = { member: { type: context.type, id: context.id }, role };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:leave', id, detail);
  });
}

async function deleteMember(transaction: Queries, path: MemberPath): Promise<MemberRole | undefined> {
  const row = await transaction
    .deleteFrom('implementation_members')
    .where('implementation_id', '=', path.implementationId)
    .where('member_type', '=', path.memberType)
    .where('member_id', '=', path.memberId)
    .returning('role')
    .executeTakeFirst();
  return row?.role;
}

async function requireMemberLimit(transaction: Queries, id: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('implementation_members')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('implementation_id', '=', id)
    .executeTakeFirstOrThrow();
  if (count >= limits.membersOfImplementation)
    throw new Problem('conflict', `An implementation has at most ${limits.membersOfImplementation} members.`);
}
