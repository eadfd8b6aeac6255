import { Bytes, FileName, Id, WITHOUT_NUL } from '@kethub/contract';
import { Type } from 'typebox';
import { deleteDataPool, makeGrant, type Arriving } from '../datapools/index.ts';
import { contextOf, list, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { addFile, readFile, readFiles, removeFile } from './files.ts';
import { changePool, createPool, readPool, readPools } from './pools.ts';
import {
  QcDataPool,
  QcDataPoolFile,
  QcDataPoolRequest,
  QcGrant,
  QcGrantRequest,
  QcShare,
  QcShareRequest,
  QcShareRoleRequest,
  QcSubscription,
  QcSubscriptionRequest,
} from './shapes.ts';
import { changeShare, readShares, removeShare, sharePool } from './shares.ts';
import { createSubscription, endSubscription, readById } from './subscriptions.ts';

const tag = 'For the client qhub-api';
const onePool = Type.Object({ dataPoolId: Id });
const oneFile = Type.Object({ dataPoolId: Id, fileId: Id });
const oneShare = Type.Object({
  dataPoolId: Id,
  shareId: Type.String({ minLength: 1, maxLength: 300, pattern: WITHOUT_NUL }),
});
const oneSubscription = Type.Object({ subscriptionId: Id });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;
const repeated = ['request-in-progress', 'idempotency-key-reused'] as const;

/** The operations on data pools, grants, shares and subscriptions of the published client `qhub-api`, at its paths. */
export const qcCatalogEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  ...poolEndpoints(platform),
  ...fileEndpoints(platform),
  ...shareEndpoints(platform, identity),
  ...subscriptionEndpoints(platform),
];

const poolEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/qc-catalog/datapools',
    id: 'qcListDataPools',
    tag,
    access: 'data-pool:list',
    summary: 'List the data pools of the caller and those shared with them',
    answers: { 200: Type.Array(QcDataPool) },
    problems: ['invalid-request'],
    handle: ({ caller }) => list({}, readPools(platform, contextOf(caller))),
  }),
  endpoint({
    method: 'POST',
    path: '/qc-catalog/datapools',
    id: 'qcCreateDataPool',
    tag,
    access: 'data-pool:create',
    summary: 'Create an empty data pool',
    body: QcDataPoolRequest,
    answers: { 201: QcDataPool },
    problems: ['not-found', ...repeated],
    run: ({ body, caller, request }) =>
      createPool(platform, contextOf(caller), body, request.headers['idempotency-key']),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/data-pools/${id}` }),
  }),
  endpoint({
    method: 'GET',
    path: '/qc-catalog/datapools/:dataPoolId',
    id: 'qcGetDataPool',
    tag,
    access: 'data-pool:read',
    summary: 'Read a data pool',
    params: onePool,
    answers: { 200: QcDataPool },
    problems: [...found],
    run: ({ params, caller }) => readPool(platform, contextOf(caller), params.dataPoolId),
  }),
  endpoint({
    method: 'PUT',
    path: '/qc-catalog/datapools/:dataPoolId',
    id: 'qcUpdateDataPool',
    tag,
    access: 'data-pool:change',
    summary: 'Change a data pool; what is left out stays',
    params: onePool,
    body: QcDataPoolRequest,
    answers: { 200: QcDataPool },
    problems: [...found, 'stale'],
    run: ({ params, body, caller, request }) =>
      changePool(platform, contextOf(caller), params.dataPoolId, body, request.headers['if-match']),
  }),
  endpoint({
    method: 'DELETE',
    path: '/qc-catalog/datapools/:dataPoolId',
    id: 'qcDeleteDataPool',
    tag,
    access: 'data-pool:delete',
    summary: 'Delete a data pool with its files',
    params: onePool,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => deleteDataPool(platform, contextOf(caller), params.dataPoolId),
  }),
  endpoint({
    method: 'POST',
    path: '/qc-catalog/datapools/:dataPoolId/grants',
    id: 'qcGrantDataPool',
    tag,
    access: 'data-pool:read',
    summary: 'Lend an application the own rights on a data pool for an hour',
    params: onePool,
    description:
      'The token stands as `grant` in the reference of the input. VIEW reads; MODIFY changes files when the execution succeeds, and takes the role MAINTAINER on the pool.',
    body: QcGrantRequest,
    answers: { 200: QcGrant },
    problems: [...found],
    run: async ({ params, body, caller }) => ({
      token: await makeGrant(platform, contextOf(caller), params.dataPoolId, body),
    }),
  }),
];

const fileEndpoints = (platform: Platform): PlatformEndpoint[] => {
  const arriving: Arriving = new Map();
  return [
    endpoint({
      method: 'GET',
      path: '/qc-catalog/datapools/:dataPoolId/files',
      id: 'qcListFiles',
      tag,
      access: 'data-pool:read',
      summary: 'List the files of a data pool, newest first',
      params: onePool,
      answers: { 200: Type.Array(QcDataPoolFile) },
      problems: [...found],
      handle: async ({ params, caller }) => list({}, await readFiles(platform, contextOf(caller), params.dataPoolId)),
    }),
    endpoint({
      method: 'POST',
      path: '/qc-catalog/datapools/:dataPoolId/files',
      id: 'qcAddFile',
      tag,
      access: 'data-pool-file:write',
      summary: 'Put a file into a data pool, or replace the one of this name',
      params: onePool,
      query: Type.Object({ filename: Type.Optional(FileName) }),
      consumes: { 'multipart/form-data': Type.Object({ file: Bytes }) },
      description: 'One file part named `file`. Its name is `filename`, else that of the part.',
      answers: { 201: QcDataPoolFile },
      problems: [
        ...found,
        'unsupported-media-type',
        'conflict',
        'storage-quota-exceeded',
        'stale',
        'too-large',
        'insufficient-storage',
      ],
      run: ({ params, query, caller, request }) =>
        addFile(platform, arriving, contextOf(caller), params.dataPoolId, query.filename, request),
    }),
    endpoint({
      method: 'GET',
      path: '/qc-catalog/datapools/:dataPoolId/files/:fileId',
      id: 'qcDownloadFile',
      tag,
      access: 'data-pool:read',
      summary: 'Download a file, or with Range a part of it',
      params: oneFile,
      answers: { 200: { media: ['*/*'] }, 206: { media: ['*/*'] }, 304: null },
      problems: [...found, 'range-not-satisfiable', 'stale'],
      handle: ({ params, caller, request }) =>
        readFile(platform, contextOf(caller), params.dataPoolId, params.fileId, request),
    }),
    endpoint({
      method: 'DELETE',
      path: '/qc-catalog/datapools/:dataPoolId/files/:fileId',
      id: 'qcDeleteFile',
      tag,
      access: 'data-pool-file:delete',
      summary: 'Delete a file',
      params: oneFile,
      answers: { 204: null },
      problems: [...found, 'stale'],
      run: ({ params, caller, request }) =>
        removeFile(platform, contextOf(caller), params.dataPoolId, params.fileId, request),
    }),
  ];
};

const shareEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/qc-catalog/datapools/:dataPoolId/shares',
    id: 'qcListShares',
    tag,
    access: 'data-pool-member:list',
    summary: 'List with whom a data pool is shared',
    params: onePool,
    answers: { 200: Type.Array(QcShare) },
    problems: [...found],
    run: ({ params, caller }) => readShares(platform, contextOf(caller), params.dataPoolId),
  }),
  endpoint({
    method: 'POST',
    path: '/qc-catalog/datapools/:dataPoolId/shares',
    id: 'qcShareDataPool',
    tag,
    access: 'data-pool-member:change',
    summary: 'Share a data pool with a user or an organization',
    params: onePool,
    // The answer reveals whether a user of this id exists, so it counts as a look-up of people.
    lookup: { cost: 1 },
    body: QcShareRequest,
    answers: { 201: QcShare },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) => sharePool(platform, identity, contextOf(caller), params.dataPoolId, body),
  }),
  endpoint({
    method: 'PUT',
    path: '/qc-catalog/datapools/:dataPoolId/shares/:shareId',
    id: 'qcChangeShare',
    tag,
    access: 'data-pool-member:change',
    summary: 'Change the role of a share',
    params: oneShare,
    // The answer reveals whether a user of this id exists, so it counts as a look-up of people.
    lookup: { cost: 1 },
    body: QcShareRoleRequest,
    answers: { 200: QcShare },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) =>
      changeShare(platform, identity, contextOf(caller), params.dataPoolId, params.shareId, body.role),
  }),
  endpoint({
    method: 'DELETE',
    path: '/qc-catalog/datapools/:dataPoolId/shares/:shareId',
    id: 'qcRemoveShare',
    tag,
    access: 'data-pool-member:remove',
    summary: 'End a share',
    params: oneShare,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => removeShare(platform, contextOf(caller), params.dataPoolId, params.shareId),
  }),
];

const subscriptionEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/qc-catalog/subscriptions',
    id: 'qcSubscribe',
    tag,
    access: 'subscription:create',
    summary: 'Subscribe an application to the newest published version of a service',
    body: QcSubscriptionRequest,
    answers: { 200: QcSubscription, 201: QcSubscription },
    problems: ['not-found', 'conflict', 'pricing-plan-required', ...repeated],
    handle: async ({ body, caller, request }) => {
      const key = request.headers['idempotency-key'];
      const { subscription, applicationId, isNew } = await createSubscription(platform, contextOf(caller), body, key);
      const location = `${platform.addresses.api}/applications/${applicationId}/subscriptions/${subscription.id}`;
      return { status: isNew ? 201 : 200, body: subscription, headers: { location } };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/qc-catalog/subscriptions/:subscriptionId',
    id: 'qcGetSubscription',
    tag,
    access: 'subscription:read',
    summary: 'Read a subscription',
    params: oneSubscription,
    answers: { 200: QcSubscription },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => readById(platform, contextOf(caller), params.subscriptionId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/qc-catalog/subscriptions/:subscriptionId',
    id: 'qcUnsubscribe',
    tag,
    access: 'subscription:delete',
    summary: 'End a subscription',
    params: oneSubscription,
    answers: { 204: null },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => endSubscription(platform, contextOf(caller), params.subscriptionId),
  }),
];
