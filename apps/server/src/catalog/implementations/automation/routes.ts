import { Id, ServiceSource, ServiceSourceRequest } from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { readSource, removeSource, setSource } from './source.ts';

const tag = 'Implementations';
const path = Type.Object({ serviceId: Id });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

/** Rules by which pushes become versions of services. */
export const automationEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/source',
    id: 'getServiceSource',
    tag,
    access: 'service:read',
    summary: 'Read which pushes become versions of a service',
    params: path,
    answers: { 200: ServiceSource },
    problems: [...found],
    run: ({ params, caller }) => readSource(platform, contextOf(caller), params.serviceId),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/source',
    id: 'setServiceSource',
    tag,
    access: 'service:automate',
    summary: 'Make pushes to a branch, or tags, versions of a service',
    params: path,
    body: ServiceSourceRequest,
    answers: { 200: ServiceSource },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) => setSource(platform, contextOf(caller), params.serviceId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/source',
    id: 'removeServiceSource',
    tag,
    access: 'service:automate',
    summary: 'End the making of versions by pushes',
    params: path,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => removeSource(platform, contextOf(caller), params.serviceId),
  }),
];
