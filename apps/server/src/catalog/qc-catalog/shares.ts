import { toTimestamp, type MemberRole } from '@kethub/contract';
import { putMember, removeMember, requirePool, type MemberPath } from '../datapools/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { DataPoolMemberRow, OwnerType } from '../../foundation/storage/index.ts';

// A share is a member of the pool. Members have no id of their own, so a share is identified by type and id of the
// member.

export async function readShares({ database }: Platform, context: Context, id: string): Promise<PresentedShare[]> {
  await requirePool(database.read, context, id, 'data-pool-member:list');
  const rows = await members(database, id).orderBy('created_at').orderBy('member_id').execute();
  return rows.map(presented);
}

interface ShareRequest {
  readonly sharedWith: { readonly tenantType: OwnerType; readonly value: string };
  readonly role?: MemberRole;
}

export async function sharePool(
  platform: Platform,
  identity: IdentityProvider,
  context: Context,
  dataPoolId: string,
  { sharedWith: { tenantType: memberType, value: memberId }, role = 'VIEWER' }: ShareRequest,
): Promise<PresentedShare> {
  const path = { dataPoolId, memberType, memberId };
  await putMember(platform, identity, context, path, role);
  return presented(await requireMember(platform, path));
}

export async function changeShare(
  platform: Platform,
  identity: IdentityProvider,
  context: Context,
  dataPoolId: string,
  shareId: string,
  role: MemberRole,
): Promise<PresentedShare> {
  const path = pathOf(dataPoolId, shareId);
  await requirePool(platform.database.read, context, dataPoolId, 'data-pool-member:change');
  await requireMember(platform, path);
  await putMember(platform, identity, context, path, role);
  return presented(await requireMember(platform, path));
}

export function removeShare(platform: Platform, context: Context, dataPoolId: string, shareId: string): Promise<void> {
  return removeMember(platform, context, pathOf(dataPoolId, shareId));
}

function members({ read }: Platform['database'], id: string) {
  return read.selectFrom('data_pool_members').selectAll().where('data_pool_id', '=', id);
}

async function requireMember({ database }: Platform, path: MemberPath): Promise<DataPoolMemberRow> {
  const row = await members(database, path.dataPoolId)
    .where('member_type', '=', path.memberType)
    .where('member_id', '=', path.memberId)
    .executeTakeFirst();
  if (row) return row;
  throw new Problem('not-found', 'The data pool has no such share.');
}

function pathOf(dataPoolId: string, shareId: string): MemberPath {
  const [, type, memberId] = /^(user|organization)-(.+)$/s.exec(shareId) ?? [];
  if (memberId === undefined) throw new Problem('not-found', 'The data pool has no such share.');
  return { dataPoolId, memberType: type === 'user' ? 'USER' : 'ORGANIZATION', memberId };
}

type PresentedShare = ReturnType<typeof presented>;

function presented(row: DataPoolMemberRow) {
  return {
    id: `${row.member_type.toLowerCase()}-${row.member_id}`,
    sharedWith: { tenantType: row.member_type, value: row.member_id },
    role: row.role,
    createdAt: toTimestamp(row.created_at),
    active: true,
    constraints: [],
  };
}
