import { Id, Implementation, ImplementationInvitation, InvitationRequest } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { IdentityProvider } from '../../../people/identity/index.ts';
import type { InvitationMails } from '../../../people/organizations/index.ts';
import { acceptToImplementation, declineToImplementation, readReceivedInvitations } from './received.ts';
import { inviteToImplementation, readSentInvitations, withdrawFromImplementation } from './sent.ts';

const tag = 'Implementations';
const path = Type.Object({ implementationId: Id });
const sentPath = Type.Object({ implementationId: Id, invitationId: Id });
const receivedPath = Type.Object({ invitationId: Id });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

/** Invitations by e-mail to implementations. */
export const implementationInvitationEndpoints = (
  platform: Platform,
  identity: IdentityProvider,
  mails: InvitationMails,
): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/implementations/:implementationId/invitations',
    id: 'inviteToImplementation',
    tag,
    access: 'implementation-member:change',
    summary: 'Invite an e-mail address to an implementation',
    description: 'It gets a mail. Inviting an address again renews its invitation.',
    params: path,
    body: InvitationRequest,
    answers: { 201: ImplementationInvitation },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) =>
      inviteToImplementation(platform, mails, contextOf(caller), params.implementationId, body),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/implementation-invitations/${id}` }),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/:implementationId/invitations',
    id: 'listImplementationInvitations',
    tag,
    access: 'implementation-member:change',
    summary: 'List the open invitations to an implementation, newest first',
    params: path,
    answers: { 200: Type.Array(ImplementationInvitation) },
    problems: [...found],
    run: ({ params, caller }) => readSentInvitations(platform, contextOf(caller), params.implementationId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId/invitations/:invitationId',
    id: 'withdrawImplementationInvitation',
    tag,
    access: 'implementation-member:change',
    summary: 'Withdraw an invitation to an implementation',
    params: sentPath,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) =>
      withdrawFromImplementation(platform, contextOf(caller), params.implementationId, params.invitationId),
  }),
  endpoint({
    method: 'GET',
    path: '/implementation-invitations',
    id: 'listOwnImplementationInvitations',
    tag,
    access: 'APPROVED',
    summary: 'List the open invitations to implementations to the e-mail address of the caller, newest first',
    answers: { 200: Type.Array(ImplementationInvitation) },
    problems: [],
    run: ({ caller }) => readReceivedInvitations(platform, identity, personOf(caller)),
  }),
  endpoint({
    method: 'POST',
    path: '/implementation-invitations/:invitationId/acceptance',
    id: 'acceptImplementationInvitation',
    tag,
    access: 'APPROVED',
    summary: 'Become a member of the implementation that the caller is invited to',
    params: receivedPath,
    answers: { 200: Implementation },
    problems: ['invalid-request', 'not-found'],
    run: ({ caller, params }) => acceptToImplementation(platform, identity, personOf(caller), params.invitationId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementation-invitations/:invitationId',
    id: 'declineImplementationInvitation',
    tag,
    access: 'APPROVED',
    summary: 'Decline an invitation to an implementation',
    params: receivedPath,
    answers: { 204: null },
    problems: ['invalid-request', 'not-found'],
    run: ({ caller, params }) => declineToImplementation(platform, identity, personOf(caller), params.invitationId),
  }),
];
