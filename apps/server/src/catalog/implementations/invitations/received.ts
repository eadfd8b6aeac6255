import type { Implementation, ImplementationInvitation } from '@kethub/contract';
import type { Context, Person, Platform } from '../../../foundation/platform.ts';
import type { ImplementationInvitationRow, Queries } from '../../../foundation/storage/index.ts';
import { audit } from '../../../people/audit/index.ts';
import { lockAccountShared } from '../../../people/deletions/index.ts';
import type { IdentityProvider } from '../../../people/identity/index.ts';
import { auditContext, isOwner, noOpenInvitation, verifiedAddress } from '../../../people/organizations/index.ts';
import { presentImplementation } from '../present.ts';
import { lockImplementation, roleOfMember } from '../queries.ts';
import { noImplementation } from '../rights.ts';
import { openInvitations, presentInvitation } from './sent.ts';

/** Lists the open invitations to the caller's verified address, newest first. */
export async function readReceivedInvitations(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
): Promise<ImplementationInvitation[]> {
  const email = verifiedAddress(await identity.find(person.id));
  const rows = email === null ? [] : await openInvitations(platform).where('email', '=', email).execute();
  return rows.map(presentInvitation);
}

/** Makes the caller a member, and uses up the invitation. A member keeps the role that they have. */
export async function acceptToImplementation(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
  invitationId: string,
): Promise<Implementation> {
  const { database, addresses } = platform;
  const email = verifiedAddress(await identity.find(person.id));
  return database.write(async (transaction) => {
    await lockAccountShared(database, transaction, person.id);
    const { implementation_id: id, role } = await take(platform, transaction, invitationId, email);
    const implementation = await lockImplementation(database, transaction, id);
    if (!implementation) throw noImplementation(id);
    const member = { type: 'USER' as const, id: person.id };
    if (isOwner(implementation, member)) return presentImplementation(addresses, implementation, 'OWNER');
    await transaction
      .insertInto('implementation_members')
      .values({
        implementation_id: id,
        member_type: 'USER',
        member_id: person.id,
        role,
        created_at: platform.now(),
      })
      .onConflict((conflict) => conflict.columns(['implementation_id', 'member_type', 'member_id']).doNothing())
      .execute();
    const kept = (await roleOfMember(transaction, id, member)) ?? role;
    const context = auditContext(implementation, contextOf(person));
    await audit(platform, transaction, context, 'implementation:join', id, { member, role: kept });
    return presentImplementation(addresses, implementation, kept);
  });
}

export async function declineToImplementation(
  platform: Platform,
  identity: IdentityProvider,
  person: Person,
  invitationId: string,
): Promise<void> {
  const email = verifiedAddress(await identity.find(person.id));
  const { database } = platform;
  await database.write(async (transaction) => {
    const { implementation_id: id } = await take(platform, transaction, invitationId, email);
    const implementation = await lockImplementation(database, transaction, id);
    if (!implementation) return;
    const context = auditContext(implementation, contextOf(person));
    await audit(platform, transaction, context, 'implementation:invite', id, {
      invitation: invitationId,
      declined: true,
    });
  });
}

function contextOf({ id }: Person): Context {
  return { type: 'USER', id, role: 'OWNER', personId: id };
}

/** Uses up an open invitation to this address. An invitation to another address is not found. */
async function take(
  { now }: Platform,
  transaction: Queries,
  id: string,
  email: string | null,
): Promise<ImplementationInvitationRow> {
  const invitation =
    email === null
      ? undefined
      : await transaction
          .deleteFrom('implementation_invitations')
          .where('id', '=', id)
          .where('email', '=', email)
          .where('expires_at', '>', now())
          .returningAll()
          .executeTakeFirst();
  if (invitation) return invitation;
  throw noOpenInvitation();
}
