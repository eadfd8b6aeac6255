import { limits, toTimestamp, type Invitation, type MemberRole, type Organization } from '@kethub/contract';
import { audit } from '../audit/index.ts';
import { lockAccountShared } from '../deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Identity, IdentityProvider } from '../identity/index.ts';
import type { Context, Person, Platform } from '../../foundation/platform.ts';
import type { InvitationRow, Queries } from '../../foundation/storage/index.ts';
import type { InvitationMails } from './invitation-mails.ts';
import { lockOrganization } from './memberships.ts';

/**
 * Invites an e-mail address, or renews its invitation and role. The answer does not reveal whether an account has it.
 */
export async function invite(
  platform: Platform,
  mails: InvitationMails,
  context: Context,
  asked: { email: string; role: MemberRole },
): Promise<Invitation> {
  const { database } = platform;
  mails.take(context.personId);
  const invitation = await database.write(async (transaction) => {
    const organization = await lockOrganization(database, transaction, context.id);
    await transaction
      .deleteFrom('invitations')
      .where('organization_id', '=', context.id)
      .where('expires_at', '<=', platform.now())
      .execute();
    await requireMemberLimit(transaction, context.id);
    const row: InvitationRow = { ...newInvitation(platform, context, asked), organization_id: context.id };
    const { id: _id, ...renewed } = row;
    const kept = await transaction
      .insertInto('invitations')
      .values(row)
      .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doUpdateSet(renewed))
      .returning('id')
      .executeTakeFirstOrThrow();
    await mails.post(transaction, 'ORGANIZATION', row.email, row.expires_at);
    await audit(platform, transaction, context, 'invitation:create', kept.id, { role: row.role });
    return present({ ...row, ...kept, name: organization.name });
  });
  mails.wake();
  return invitation;
}

/** The columns that every table of invitations has, for a new one by this person. */
export function newInvitation(
  { newId, now }: Pick<Platform, 'newId' | 'now'>,
  { personId }: Context,
  { email, role }: { readonly email: string; readonly role: MemberRole },
): Omit<InvitationRow, 'organization_id'> {
  const created_at = now();
  return {
    id: newId(),
    email: email.toLowerCase(),
    role,
    invited_by: personId,
    created_at,
    expires_at: created_at + limits.invitationKeepMs,
  };
}

/** Lists the open invitations of an organization, newest first. */
export async function readInvitations(platform: Platform, { id }: Context): Promise<Invitation[]> {
  const rows = await open(platform).where('organization_id', '=', id).execute();
  return rows.map(present);
}

export async function withdrawInvitation(platform: Platform, context: Context, id: string): Promise<void> {
  await platform.database.write(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('invitations')
      .where('id', '=', id)
      .where('organization_id', '=', context.id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Problem('not-found', `The organization has no invitation ${id}.`);
    await audit(platform, transaction, context, 'invitation:delete', id);
  });
}

/** Lists the open invitations to the caller's verified address. */
export async function readOwnInvitations(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
): Promise<Invitation[]> {
  const email = verifiedAddress(await identity.find(person.id));
  const rows = email === null ? [] : await open(platform).where('email', '=', email).execute();
  return rows.map(present);
}

/** Joins the organization and uses up the invitation. A person who is a member already keeps their role. */
export async function acceptInvitation(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
  id: string,
): Promise<Organization> {
  const email = verifiedAddress(await identity.find(person.id));
  return platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, person.id);
    const invitation = await take(platform, transaction, id, email);
    const { organization_id, role } = invitation;
    const organization = await lockOrganization(platform.database, transaction, organization_id);
    const now = platform.now();
    await transaction
      .insertInto('memberships')
      .values({ organization_id, user_id: person.id, role, created_at: now })
      .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
      .execute();
    const membership = await transaction
      .selectFrom('memberships')
      .select('role')
      .where('organization_id', '=', organization_id)
      .where('user_id', '=', person.id)
      .executeTakeFirstOrThrow();
    const context: Context = { type: 'ORGANIZATION', id: organization_id, role, personId: person.id };
    await audit(platform, transaction, context, 'organization:join', person.id, { role: membership.role });
    return {
      id: organization_id,
      name: organization.name,
      role: membership.role,
      createdAt: toTimestamp(organization.created_at),
    };
  });
}

export async function declineInvitation(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
  id: string,
): Promise<void> {
  const email = verifiedAddress(await identity.find(person.id));
  await platform.database.write(async (transaction) => {
    const { organization_id, role } = await take(platform, transaction, id, email);
    const context: Context = { type: 'ORGANIZATION', id: organization_id, role, personId: person.id };
    await audit(platform, transaction, context, 'invitation:decline', id);
  });
}

/** Uses up an open invitation to this address. An invitation to another address is not found. */
async function take(platform: Platform, transaction: Queries, id: string, email: string | null) {
  const invitation =
    email === null
      ? undefined
      : await transaction
          .deleteFrom('invitations')
          .where('id', '=', id)
          .where('email', '=', email)
          .where('expires_at', '>', platform.now())
          .returningAll()
          .executeTakeFirst();
  if (invitation) return invitation;
  throw noOpenInvitation();
}

/** The problem of an invitation that is gone, expired, or was sent to another address. */
export function noOpenInvitation(): Problem {
  return new Problem(
    'not-found',
    'There is no open invitation of this id to your verified e-mail address. Ask the person who invited you to invite that address again.',
  );
}

/**
 * The verified address of a person, or null. Only a verified one proves that the invitation was meant for this person.
 */
export function verifiedAddress(identity: Identity | null): string | null {
  return identity?.emailVerified ? identity.email.toLowerCase() : null;
}

async function requireMemberLimit(transaction: Queries, organizationId: string): Promise<void> {
  const count = async (table: 'memberships' | 'invitations'): Promise<number> => {
    const { taken } = await transaction
      .selectFrom(table)
      .select((expression) => expression.fn.countAll<number | string>().as('taken'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Number(taken);
  };
  if ((await count('memberships')) + (await count('invitations')) < limits.membersOfOrganization) return;
  throw new Problem(
    'conflict',
    `An organization has at most ${limits.membersOfOrganization} members and open invitations.`,
  );
}

function open({ database, now }: Platform) {
  return database.read
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .selectAll('invitations')
    .select('organizations.name')
    .where('expires_at', '>', now())
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc');
}

function present(row: InvitationRow & { name: string }): Invitation {
  return {
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.name,
    email: row.email,
    role: row.role,
    createdAt: toTimestamp(row.created_at),
    expiresAt: toTimestamp(row.expires_at),
  };
}
