import {
  CreateImplementationRequest,
  Implementation,
  ImplementationMember,
  ImplementationMemberRequest,
  ImplementationName,
  Id,
  MadeVersion,
  MOST_MADE_VERSIONS,
  TransferRequest,
  UpdateImplementationRequest,
  limits,
  WITHOUT_NUL,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerTagged,
  answerUnlessFresh,
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { changeImplementation, deleteImplementation, releaseAddress, transferImplementation } from './change.ts';
import { createImplementation } from './create.ts';
import { leave, putMember, readMembers, removeMember } from './members.ts';
import { readMadeVersions } from './made-versions.ts';
import { PublicQuery, readImplementation, readImplementations, readPublic } from './read.ts';

const tag = 'Implementations';
const implementationPath = Type.Object({ implementationId: Id });
const memberPath = Type.Object({
  implementationId: Id,
  memberType: Type.Enum(['USER', 'ORGANIZATION']),
  memberId: Type.String({ minLength: 1, maxLength: limits.idLength, pattern: WITHOUT_NUL }),
});
const addressPath = Type.Object({
  implementationId: Id,
  ownerId: Type.String({ minLength: 1, maxLength: limits.idLength, pattern: WITHOUT_NUL }),
  name: ImplementationName,
});
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

/** Implementations and their members. */
export const implementationEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/implementations',
    id: 'createImplementation',
    tag,
    access: 'implementation:create',
    summary: 'Create an empty implementation',
    body: CreateImplementationRequest,
    answers: { 201: Implementation },
    problems: ['not-found', 'conflict', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ body, caller, request }) =>
      createImplementation(platform, contextOf(caller), body, request.headers['idempotency-key']),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/implementations/${id}` }),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations',
    id: 'listImplementations',
    tag,
    access: 'implementation:list',
    summary: 'List the implementations that belong to the caller or were shared with them, newest first',
    query: ListQuery,
    answers: { 200: Type.Array(Implementation) },
    problems: [],
    handle: ({ caller, query }) => list(query, readImplementations(platform, contextOf(caller))),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/public',
    id: 'listPublicImplementations',
    tag,
    access: 'APPROVED',
    visitors: true,
    summary: 'List or search the public implementations, newest first',
    query: PublicQuery,
    answers: { 200: Type.Array(Implementation) },
    problems: [],
    handle: ({ query }) => list(query, readPublic(platform, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/:implementationId',
    id: 'getImplementation',
    tag,
    access: 'implementation:read',
    visitors: true,
    summary: 'Read an implementation',
    params: implementationPath,
    answers: { 200: Implementation, 304: null },
    problems: [...found],
    handle: async ({ params, caller, request }) =>
      answerUnlessFresh(request, await readImplementation(platform, caller.context, params.implementationId)),
  }),
  endpoint({
    method: 'PATCH',
    path: '/implementations/:implementationId',
    id: 'updateImplementation',
    tag,
    access: 'implementation:change',
    summary: 'Change the settings of an implementation',
    description: 'A former name goes on answering.',
    params: implementationPath,
    body: UpdateImplementationRequest,
    answers: { 200: Implementation },
    problems: [...found, 'stale', 'conflict'],
    handle: async ({ params, body, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      return answerTagged(
        await changeImplementation(platform, contextOf(caller), params.implementationId, body, ifMatch),
      );
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId',
    id: 'deleteImplementation',
    tag,
    access: 'implementation:delete',
    summary: 'Delete an implementation with its code',
    description: 'Services that were made of it stay. Its folder is kept in the trash for seven days.',
    params: implementationPath,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => deleteImplementation(platform, contextOf(caller), params.implementationId),
  }),
  endpoint({
    method: 'PUT',
    path: '/implementations/:implementationId/owner',
    id: 'transferImplementation',
    tag,
    access: 'implementation:transfer',
    summary: 'Give an implementation to another owner',
    description: 'Its members stay, and its former address goes on answering.',
    params: implementationPath,
    body: TransferRequest,
    answers: { 200: Implementation },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) =>
      transferImplementation(platform, contextOf(caller), params.implementationId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId/addresses/:ownerId/:name',
    id: 'releaseImplementationAddress',
    tag,
    access: 'implementation:change',
    summary: 'Give up a former address, which others can take then',
    params: addressPath,
    answers: { 204: null },
    problems: [...found, 'conflict'],
    run: ({ params, caller }) => releaseAddress(platform, contextOf(caller), params.implementationId, params),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/:implementationId/versions',
    id: 'listMadeVersions',
    tag,
    access: 'implementation:read',
    summary: 'List the versions of services of the caller that were made of an implementation, newest first',
    description: `At most ${MOST_MADE_VERSIONS}.`,
    params: implementationPath,
    answers: { 200: Type.Array(MadeVersion) },
    problems: [...found],
    run: ({ params, caller }) => readMadeVersions(platform, contextOf(caller), params.implementationId),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/:implementationId/members',
    id: 'listImplementationMembers',
    tag,
    access: 'implementation-member:list',
    summary: 'List the members of an implementation in the order in which they were added',
    params: implementationPath,
    answers: { 200: Type.Array(ImplementationMember) },
    problems: [...found],
    run: ({ params, caller }) => readMembers(platform, contextOf(caller), params.implementationId),
  }),
  endpoint({
    method: 'PUT',
    path: '/implementations/:implementationId/members/:memberType/:memberId',
    id: 'putImplementationMember',
    tag,
    access: 'implementation-member:change',
    summary: 'Share an implementation with a user or an organization, or change their role',
    params: memberPath,
    body: ImplementationMemberRequest,
    answers: { 200: ImplementationMember, 201: ImplementationMember },
    problems: [...found, 'conflict'],
    // The answer reveals whether a user of this id exists, so it counts as a look-up of people.
    lookup: { cost: 1 },
    handle: async ({ params, body, caller }) => {
      const { isNew, member } = await putMember(platform, identity, contextOf(caller), params, body.role);
      return { status: isNew ? 201 : 200, body: member };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId/members/:memberType/:memberId',
    id: 'removeImplementationMember',
    tag,
    access: 'implementation-member:remove',
    summary: 'Take a member out of an implementation',
    params: memberPath,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => removeMember(platform, contextOf(caller), params),
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId/membership',
    id: 'leaveImplementation',
    tag,
    access: 'implementation:leave',
    summary: 'Give up an implementation that was shared with the caller',
    params: implementationPath,
    answers: { 204: null },
    problems: [...found, 'conflict'],
    run: ({ params, caller }) => leave(platform, contextOf(caller), params.implementationId),
  }),
];
