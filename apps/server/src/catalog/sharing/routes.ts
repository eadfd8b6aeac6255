import {
  ApiSpecification,
  ChangeShareRequest,
  CreateShareRequest,
  Id,
  Share,
  SharedService,
  Version,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerTagged,
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { answerSpecification } from '../services/index.ts';
import { changeShare, removeShare } from './change-share.ts';
import { createShare } from './create-share.ts';
import { readShare, readShares } from './read-shares.ts';
import { readSharedService, readSharedServices, readSharedSpecification } from './shared-services.ts';

const tag = 'Sharing';
const servicePath = Type.Object({ serviceId: Id });
const sharedVersionPath = Type.Object({ serviceId: Id, version: Version });
const sharePath = Type.Object({ serviceId: Id, shareId: Id });
const found = ['invalid-request', 'not-found'] as const;

/** Endpoints for the shares of services with users and organizations. */
export const sharingEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/shares',
    id: 'createShare',
    tag,
    access: 'share:create',
    summary: 'Share a service with a user or an organization',
    description:
      'Active from `startDate` until `endDate`. The recipient may run published versions through the job interface; of those that are published internally, applications of the recipient may subscribe to the API.',
    params: servicePath,
    body: CreateShareRequest,
    answers: { 201: Share },
    problems: [...found, 'conflict', 'request-in-progress', 'idempotency-key-reused'],
    // The answer reveals whether a user of this id exists, so it counts as a look-up of people.
    lookup: { cost: 1 },
    handle: async ({ params: { serviceId }, body, caller, request }) => {
      const key = request.headers['idempotency-key'];
      const share = await createShare(platform, identity, contextOf(caller), serviceId, body, key);
      const location = `${platform.addresses.api}/services/${serviceId}/shares/${share.body.id}`;
      return { ...answerTagged(share, { location }), status: 201 };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/shares',
    id: 'listShares',
    tag,
    access: 'share:list',
    summary: 'List the shares of a service, newest first',
    params: servicePath,
    answers: { 200: Type.Array(Share) },
    problems: found,
    run: ({ params, caller }) => readShares(platform, contextOf(caller), params.serviceId),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/shares/:shareId',
    id: 'getShare',
    tag,
    access: 'share:read',
    summary: 'Read a share',
    params: sharePath,
    answers: { 200: Share },
    problems: found,
    handle: async ({ params, caller }) =>
      answerTagged(await readShare(platform, contextOf(caller), params.serviceId, params.shareId)),
  }),
  endpoint({
    method: 'PATCH',
    path: '/services/:serviceId/shares/:shareId',
    id: 'changeShare',
    tag,
    access: 'share:change',
    summary: 'Change when a share is active',
    description: 'Takes `If-Match`.',
    params: sharePath,
    body: ChangeShareRequest,
    answers: { 200: Share },
    problems: [...found, 'stale'],
    handle: async ({ params: { serviceId, shareId }, body, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      return answerTagged(await changeShare(platform, contextOf(caller), serviceId, shareId, body, ifMatch));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/shares/:shareId',
    id: 'deleteShare',
    tag,
    access: 'share:delete',
    summary: 'Remove a share',
    description: 'Access that rests on it ends within a second. Executions that run go on. Takes `If-Match`.',
    params: sharePath,
    answers: { 204: null },
    problems: [...found, 'stale'],
    run: ({ params, caller, request }) =>
      removeShare(platform, contextOf(caller), params.serviceId, params.shareId, request.headers['if-match']),
  }),
  endpoint({
    method: 'GET',
    path: '/shared-services',
    id: 'listSharedServices',
    tag,
    access: 'shared-service:list',
    summary: 'List the services that are shared with the caller or the organization now, newest first',
    query: ListQuery,
    answers: { 200: Type.Array(SharedService) },
    problems: [],
    handle: ({ caller, query }) => list(query, readSharedServices(platform, contextOf(caller))),
  }),
  endpoint({
    method: 'GET',
    path: '/shared-services/:serviceId',
    id: 'getSharedService',
    tag,
    access: 'shared-service:read',
    summary: 'Read a service that is shared with the caller or the organization now',
    params: servicePath,
    answers: { 200: SharedService },
    problems: found,
    run: ({ params, caller }) => readSharedService(platform, contextOf(caller), params.serviceId),
  }),
  endpoint({
    method: 'GET',
    path: '/shared-services/:serviceId/versions/:version/api-specification',
    id: 'getSharedApiSpecification',
    tag,
    access: 'shared-service:read',
    summary: 'Read the API specification of a version that the recipient of a share may run (OpenAPI)',
    description: 'It says which input the version takes, also where it has no signature of run().',
    params: sharedVersionPath,
    answers: { 200: ApiSpecification, 304: null },
    problems: found,
    handle: async ({ params: { serviceId, version }, caller, request }) =>
      answerSpecification(request, await readSharedSpecification(platform, contextOf(caller), serviceId, version)),
  }),
];
