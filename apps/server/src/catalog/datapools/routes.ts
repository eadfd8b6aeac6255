import {
  CreateDataPoolRequest,
  DataPool,
  DataPoolMember,
  DataPoolMemberRequest,
  Id,
  TransferRequest,
  UpdateDataPoolRequest,
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
  NamePart,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { changeDataPool, transferDataPool } from './change-data-pool.ts';
import { createDataPool } from './create-data-pool.ts';
import { deleteDataPool } from './delete-data-pool.ts';
import { leave, putMember, readMembers, removeMember } from './members.ts';
import { readDataPool, readDataPools } from './read-data-pools.ts';

const tag = 'Data pools';
const poolPath = Type.Object({ dataPoolId: Id });
const memberPath = Type.Object({
  dataPoolId: Id,
  memberType: Type.Enum(['USER', 'ORGANIZATION']),
  memberId: Type.String({ minLength: 1, maxLength: limits.idLength, pattern: WITHOUT_NUL }),
});
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

/** Data pools and their members. */
export const dataPoolEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/data-pools',
    id: 'createDataPool',
    tag,
    access: 'data-pool:create',
    summary: 'Create an empty data pool',
    body: CreateDataPoolRequest,
    answers: { 201: DataPool },
    problems: ['not-found', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ body, caller, request }) =>
      createDataPool(platform, contextOf(caller), body, request.headers['idempotency-key']),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/data-pools/${id}` }),
  }),
  endpoint({
    method: 'GET',
    path: '/data-pools',
    id: 'listDataPools',
    tag,
    access: 'data-pool:list',
    summary: 'List the data pools that belong to the caller or were shared with them, newest first',
    query: Type.Object({ ...ListQuery.properties, q: Type.Optional(NamePart) }),
    answers: { 200: Type.Array(DataPool) },
    problems: [],
    handle: ({ caller, query }) => list(query, readDataPools(platform, contextOf(caller), query)),
  }),
  endpoint({
    method: 'GET',
    path: '/data-pools/:dataPoolId',
    id: 'getDataPool',
    tag,
    access: 'data-pool:read',
    summary: 'Read a data pool',
    params: poolPath,
    answers: { 200: DataPool, 304: null },
    problems: [...found],
    handle: async ({ params, caller, request }) =>
      answerUnlessFresh(request, await readDataPool(platform, contextOf(caller), params.dataPoolId)),
  }),
  endpoint({
    method: 'PATCH',
    path: '/data-pools/:dataPoolId',
    id: 'updateDataPool',
    tag,
    access: 'data-pool:change',
    summary: 'Change name and description of a data pool',
    params: poolPath,
    body: UpdateDataPoolRequest,
    answers: { 200: DataPool },
    problems: [...found, 'stale'],
    handle: async ({ params, body, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      return answerTagged(await changeDataPool(platform, contextOf(caller), params.dataPoolId, body, ifMatch));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/data-pools/:dataPoolId',
    id: 'deleteDataPool',
    tag,
    access: 'data-pool:delete',
    summary: 'Delete a data pool with its files',
    description: 'Executions that run keep the files that they were given.',
    params: poolPath,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => deleteDataPool(platform, contextOf(caller), params.dataPoolId),
  }),
  endpoint({
    method: 'PUT',
    path: '/data-pools/:dataPoolId/owner',
    id: 'transferDataPool',
    tag,
    access: 'data-pool:transfer',
    summary: 'Give a data pool to another owner',
    description: 'Its members stay.',
    params: poolPath,
    body: TransferRequest,
    answers: { 200: DataPool },
    problems: [...found, 'storage-quota-exceeded'],
    run: ({ params, body, caller }) => transferDataPool(platform, contextOf(caller), params.dataPoolId, body),
  }),
  endpoint({
    method: 'GET',
    path: '/data-pools/:dataPoolId/members',
    id: 'listDataPoolMembers',
    tag,
    access: 'data-pool-member:list',
    summary: 'List the members of a data pool in the order in which they were added',
    params: poolPath,
    answers: { 200: Type.Array(DataPoolMember) },
    problems: [...found],
    run: ({ params, caller }) => readMembers(platform, contextOf(caller), params.dataPoolId),
  }),
  endpoint({
    method: 'PUT',
    path: '/data-pools/:dataPoolId/members/:memberType/:memberId',
    id: 'putDataPoolMember',
    tag,
    access: 'data-pool-member:change',
    summary: 'Share a data pool with a user or an organization, or change their role',
    params: memberPath,
    body: DataPoolMemberRequest,
    answers: { 200: DataPoolMember, 201: DataPoolMember },
    problems: [...found, 'conflict'],
    // The answer reveals whether a user of this id exists, so it counts as a look-up of people.
    lookup: { cost: 1 },
    handle: async ({ params, body, caller }) => {
      const { member, isNew } = await putMember(platform, identity, contextOf(caller), params, body.role);
      return { status: isNew ? 201 : 200, body: member };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/data-pools/:dataPoolId/members/:memberType/:memberId',
    id: 'removeDataPoolMember',
    tag,
    access: 'data-pool-member:remove',
    summary: 'Take a member out of a data pool',
    params: memberPath,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => removeMember(platform, contextOf(caller), params),
  }),
  endpoint({
    method: 'DELETE',
    path: '/data-pools/:dataPoolId/membership',
    id: 'leaveDataPool',
    tag,
    access: 'data-pool:leave',
    summary: 'Give up a data pool that was shared with the caller',
    params: poolPath,
    answers: { 204: null },
    problems: [...found, 'conflict'],
    run: ({ params, caller }) => leave(platform, contextOf(caller), params.dataPoolId),
  }),
];
