import {
  Id,
  Invitation,
  InvitationRequest,
  Member,
  MemberRequest,
  Organization,
  OrganizationRequest,
  limits,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { OwnerRenamed } from '../deletions/index.ts';
import type { IdentityProvider } from '../identity/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { InvitationMails } from './invitation-mails.ts';
import {
  acceptInvitation,
  declineInvitation,
  invite,
  readInvitations,
  readOwnInvitations,
  withdrawInvitation,
} from './invitations.ts';
import { changeRole, readMembers, removeMember } from './members.ts';
import {
  createOrganization,
  deleteOrganization,
  readOrganization,
  readOrganizations,
  renameOrganization,
} from './organizations.ts';

const tag = 'Organizations';
const organizationPath = Type.Object({ organizationId: Id });
const memberPath = Type.Object({
  organizationId: Id,
  userId: Type.String({ minLength: 1, maxLength: limits.idLength }),
});
const organizationInvitationPath = Type.Object({ organizationId: Id, invitationId: Id });
const invitationPath = Type.Object({ invitationId: Id });
const member = ['invalid-request', 'not-found'] as const;
const body = ['malformed-json', 'unsupported-media-type'] as const;
const repeat = ['request-in-progress', 'idempotency-key-reused'] as const;

/** Endpoints for organizations, their members and invitations. */
export const organizationEndpoints = (
  platform: Platform,
  identity: IdentityProvider,
  mailer: Mailer,
  ownerRenamed: OwnerRenamed,
): PlatformEndpoint[] => {
  const mails = new InvitationMails(platform, mailer);
  return [
    endpoint({
      method: 'POST',
      path: '/organizations',
      id: 'createOrganization',
      tag,
      access: 'APPROVED',
      summary: 'Create an organization; the caller becomes its owner',
      body: OrganizationRequest,
      answers: { 201: Organization },
      problems: ['invalid-request', ...body, ...repeat],
      handle: ({ caller, body, request }) =>
        createOrganization(platform, personOf(caller), body.name, request.headers['idempotency-key']),
    }),
    endpoint({
      method: 'GET',
      path: '/organizations',
      id: 'listOrganizations',
      tag,
      access: 'APPROVED',
      summary: 'List the organizations that the caller has joined, newest first',
      answers: { 200: Type.Array(Organization) },
      problems: [],
      handle: ({ caller }) => readOrganizations(platform, personOf(caller)),
    }),
    endpoint({
      method: 'GET',
      path: '/organizations/:organizationId',
      id: 'getOrganization',
      tag,
      access: 'organization:read',
      summary: 'Read an organization',
      params: organizationPath,
      answers: { 200: Organization, 304: null },
      problems: [...member],
      handle: ({ caller, request }) => readOrganization(platform, contextOf(caller), request),
    }),
    endpoint({
      method: 'PATCH',
      path: '/organizations/:organizationId',
      id: 'renameOrganization',
      tag,
      access: 'organization:change',
      summary: 'Rename an organization',
      params: organizationPath,
      body: OrganizationRequest,
      answers: { 200: Organization },
      problems: [...member, ...body, 'stale'],
      handle: ({ caller, body, request }) =>
        renameOrganization(platform, ownerRenamed, contextOf(caller), body.name, request.headers['if-match']),
    }),
    endpoint({
      method: 'DELETE',
      path: '/organizations/:organizationId',
      id: 'deleteOrganization',
      tag,
      access: 'organization:delete',
      summary: 'Delete an organization that owns nothing any more',
      params: organizationPath,
      answers: { 204: null },
      problems: [...member, 'conflict'],
      handle: ({ caller }) => deleteOrganization(platform, contextOf(caller)),
    }),
    endpoint({
      method: 'DELETE',
      path: '/organizations/:organizationId/membership',
      id: 'leaveOrganization',
      tag,
      access: 'organization:leave',
      summary: 'Leave an organization',
      description: 'The last owner cannot leave.',
      params: organizationPath,
      answers: { 204: null },
      problems: [...member, 'conflict'],
      handle: ({ caller }) => removeMember(platform, contextOf(caller), personOf(caller).id),
    }),
    endpoint({
      method: 'GET',
      path: '/organizations/:organizationId/members',
      id: 'listMembers',
      tag,
      access: 'member:list',
      summary: 'List members in the order in which they joined',
      params: organizationPath,
      answers: { 200: Type.Array(Member) },
      problems: [...member],
      handle: ({ caller }) => readMembers(platform, contextOf(caller)),
    }),
    endpoint({
      method: 'PUT',
      path: '/organizations/:organizationId/members/:userId',
      id: 'changeMember',
      tag,
      access: 'member:change',
      summary: 'Give a member another role',
      params: memberPath,
      body: MemberRequest,
      answers: { 200: Member },
      problems: [...member, ...body, 'conflict'],
      handle: ({ caller, params, body }) => changeRole(platform, contextOf(caller), params.userId, body.role),
    }),
    endpoint({
      method: 'DELETE',
      path: '/organizations/:organizationId/members/:userId',
      id: 'removeMember',
      tag,
      access: 'member:remove',
      summary: 'Remove a member from the organization',
      params: memberPath,
      answers: { 204: null },
      problems: [...member, 'conflict'],
      handle: ({ caller, params }) => removeMember(platform, contextOf(caller), params.userId),
    }),
    endpoint({
      method: 'POST',
      path: '/organizations/:organizationId/invitations',
      id: 'invite',
      tag,
      access: 'invitation:create',
      summary: 'Invite an e-mail address',
      description: 'It gets a mail. Inviting an address again renews its invitation.',
      params: organizationPath,
      body: InvitationRequest,
      answers: { 201: Invitation },
      problems: [...member, ...body, 'conflict', 'too-many-requests'],
      handle: ({ caller, body }) => invite(platform, mails, contextOf(caller), body),
    }),
    endpoint({
      method: 'GET',
      path: '/organizations/:organizationId/invitations',
      id: 'listInvitations',
      tag,
      access: 'invitation:list',
      summary: 'List the open invitations of an organization, newest first',
      params: organizationPath,
      answers: { 200: Type.Array(Invitation) },
      problems: [...member],
      handle: ({ caller }) => readInvitations(platform, contextOf(caller)),
    }),
    endpoint({
      method: 'DELETE',
      path: '/organizations/:organizationId/invitations/:invitationId',
      id: 'withdrawInvitation',
      tag,
      access: 'invitation:delete',
      summary: 'Withdraw an invitation',
      params: organizationInvitationPath,
      answers: { 204: null },
      problems: [...member],
      handle: ({ caller, params }) => withdrawInvitation(platform, contextOf(caller), params.invitationId),
    }),
    endpoint({
      method: 'GET',
      path: '/invitations',
      id: 'listOwnInvitations',
      tag,
      access: 'APPROVED',
      summary: 'List the open invitations to the e-mail address of the caller, newest first',
      answers: { 200: Type.Array(Invitation) },
      problems: [],
      handle: ({ caller }) => readOwnInvitations(platform, identity, personOf(caller)),
    }),
    endpoint({
      method: 'POST',
      path: '/invitations/:invitationId/acceptance',
      id: 'acceptInvitation',
      tag,
      access: 'APPROVED',
      summary: 'Join the organization that has invited the caller',
      params: invitationPath,
      answers: { 200: Organization },
      problems: [...member],
      handle: ({ caller, params }) => acceptInvitation(platform, identity, personOf(caller), params.invitationId),
    }),
    endpoint({
      method: 'DELETE',
      path: '/invitations/:invitationId',
      id: 'declineInvitation',
      tag,
      access: 'APPROVED',
      summary: 'Decline an invitation',
      params: invitationPath,
      answers: { 204: null },
      problems: [...member],
      handle: ({ caller, params }) => declineInvitation(platform, identity, personOf(caller), params.invitationId),
    }),
  ];
};
