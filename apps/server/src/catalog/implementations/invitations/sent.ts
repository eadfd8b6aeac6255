import { limits, toTimestamp, type ImplementationInvitation, type MemberRole } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type {
  ImplementationInvitationRow,
  ImplementationRow,
  OwnerType,
  Queries,
} from '../../../foundation/storage/index.ts';
import { audit } from '../../../people/audit/index.ts';
import { auditContext, newInvitation, type InvitationMails } from '../../../people/organizations/index.ts';
import { requireImplementation, requireLocked } from '../rights.ts';

type Listed = ImplementationInvitationRow &
  Pick<ImplementationRow, 'name'> & { owner_type: OwnerType; owner_id: string };

/**
 * Invites an e-mail address to an implementation, or renews its invitation and role. The answer does not reveal whether
 * an account has it.
 */
export async function inviteToImplementation(
  platform: Platform,
  mails: InvitationMails,
  context: Context,
  id: string,
  asked: { readonly email: string; readonly role: MemberRole },
): Promise<ImplementationInvitation> {
  const { database } = platform;
  const operation = 'implementation-member:change';
  await requireImplementation(database.read, context, id, operation);
  mails.take(context.personId);
  const invitation = await database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, operation);
    await transaction
      .deleteFrom('implementation_invitations')
      .where('implementation_id', '=', id)
      .where('expires_at', '<=', platform.now())
      .execute();
    await requireMemberLimit(transaction, id);
    const row: ImplementationInvitationRow = { ...newInvitation(platform, context, asked), implementation_id: id };
    const { id: _id, ...renewed } = row;
    const kept = await transaction
      .insertInto('implementation_invitations')
      .values(row)
      .onConflict((conflict) => conflict.columns(['implementation_id', 'email']).doUpdateSet(renewed))
      .returningAll()
      .executeTakeFirstOrThrow();
    await mails.post(transaction, 'IMPLEMENTATION', row.email, row.expires_at);
    const owner = auditContext(implementation, context);
    await audit(platform, transaction, owner, 'implementation:invite', id, { invitation: kept.id, role: row.role });
    return presentInvitation({ ...implementation, ...kept });
  });
  mails.wake();
  return invitation;
}

/** Lists the open invitations to an implementation, newest first. */
export async function readSentInvitations(
  platform: Platform,
  context: Context,
  id: string,
): Promise<ImplementationInvitation[]> {
  await requireImplementation(platform.database.read, context, id, 'implementation-member:change');
  const rows = await openInvitations(platform).where('implementation_id', '=', id).execute();
  return rows.map(presentInvitation);
}

export async function withdrawFromImplementation(
  platform: Platform,
  context: Context,
  id: string,
  invitationId: string,
): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const operation = 'implementation-member:change';
    const { implementation } = await requireLocked(database, transaction, context, id, operation);
    const { numDeletedRows } = await transaction
      .deleteFrom('implementation_invitations')
      .where('id', '=', invitationId)
      .where('implementation_id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Problem('not-found', `The implementation has no invitation ${invitationId}.`);
    const detail = { invitation: invitationId, withdrawn: true };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:invite', id, detail);
  });
}

/** The invitations that have not expired. */
export function openInvitations({ database, now }: Platform) {
  return database.read
    .selectFrom('implementation_invitations')
    .innerJoin('implementations', 'implementations.id', 'implementation_id')
    .selectAll('implementation_invitations')
    .select(['name', 'owner_type', 'owner_id'])
    .where('expires_at', '>', now())
    .orderBy('implementation_invitations.created_at', 'desc')
    .orderBy('implementation_invitations.id', 'desc');
}

export function presentInvitation(row: Listed): ImplementationInvitation {
  return {
    id: row.id,
    implementationId: row.implementation_id,
    implementationName: row.name,
    owner: { type: row.owner_type, id: row.owner_id },
    email: row.email,
    role: row.role,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
  };
}

async function requireMemberLimit(transaction: Queries, id: string): Promise<void> {
  const count = async (table: 'implementation_members' | 'implementation_invitations'): Promise<number> => {
    const { taken } = await transaction
      .selectFrom(table)
      .select((expression) => expression.fn.countAll<number | string>().as('taken'))
      .where('implementation_id', '=', id)
      .executeTakeFirstOrThrow();
    return Number(taken);
  };
  if (
    (await count('implementation_members')) + (await count('implementation_invitations')) <
    limits.membersOfImplementation
  )
    return;
  throw new Problem(
    'conflict',
    `An implementation has at most ${limits.membersOfImplementation} members and open invitations.`,
  );
}
