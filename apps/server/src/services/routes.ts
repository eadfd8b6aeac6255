import {
  Build,
  AddOnPremiseVersionRequest,
  Bytes,
  CreateOnPremiseServiceRequest,
  CreateServiceForm,
  Id,
  PublicationRequest,
  RuntimeConfiguration,
  Service,
  ServiceVersion,
  TargetRequest,
  TransferRequest,
  UpdateServiceRequest,
  Version,
} from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../http/index.ts';
import { logMedia } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import { deleteService, updateService } from './change-services.ts';
import { addVersion, configure, publish, replaceSource } from './change-versions.ts';
import { createService } from './create-service.ts';
import { setTarget } from './on-premise.ts';
import { readBuild, readBuildLog, readService, readServices, readSource, readVersion } from './read-services.ts';
import { transferService } from './transfer.ts';
import { uploadOf, zipMedia } from './upload.ts';

const tag = 'Services';
const createForm = Type.Object(
  { ...CreateServiceForm.properties, source: Bytes },
  { additionalProperties: false, description: '`configuration` as JSON.' },
);
const servicePath = Type.Object({ serviceId: Id });
const versionPath = Type.Object({ serviceId: Id, version: Version });
const found = ['invalid-request', 'not-found'] as const;
const change = [...found, 'stale'] as const;
const upload = ['invalid-archive', 'too-large', 'unsupported-media-type'] as const;
const repeat = ['request-in-progress', 'idempotency-key-reused'] as const;

/** Services, their versions, source, builds and publication. */
export const serviceEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/services',
    id: 'createService',
    tag,
    access: 'service:create',
    consumes: { 'multipart/form-data': createForm, 'application/json': CreateOnPremiseServiceRequest },
    summary: 'Create a service by uploading the ZIP of its project, or one that runs elsewhere',
    description:
      'A managed service is sent as a form, an on-premise service as JSON. Form parts: `name`, `description` (optional), `configuration` (optional, JSON of RuntimeConfiguration), then the file `source`: a ZIP of the content of the project, not of its folder. The first version, 1.0.0, is a draft; its build starts at once.',
    answers: { 201: Service },
    problems: ['invalid-request', 'malformed-json', 'conflict', ...upload, ...repeat],
    handle: ({ caller, request }) => createService(platform, contextOf(caller), request),
  }),
  endpoint({
    method: 'GET',
    path: '/services',
    id: 'listServices',
    tag,
    access: 'service:list',
    summary: 'List services, newest first',
    answers: { 200: Type.Array(Service) },
    problems: [],
    handle: ({ caller }) => readServices(platform, contextOf(caller)),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId',
    id: 'getService',
    tag,
    access: 'service:read',
    summary: 'Read a service with its versions',
    params: servicePath,
    answers: { 200: Service },
    problems: [...found],
    handle: ({ params, caller }) => readService(platform, contextOf(caller), params.serviceId),
  }),
  endpoint({
    method: 'PATCH',
    path: '/services/:serviceId',
    id: 'updateService',
    tag,
    access: 'service:change',
    summary: 'Change name or description',
    params: servicePath,
    body: UpdateServiceRequest,
    answers: { 200: Service },
    problems: [...change, 'malformed-json', 'conflict'],
    handle: ({ params, body, caller, request }) =>
      updateService(platform, contextOf(caller), params.serviceId, body, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/owner',
    id: 'transferService',
    tag,
    access: 'service:transfer',
    summary: 'Give a service to another owner',
    description: 'Its address changes with the owner; the former one goes on answering for subscribers.',
    params: servicePath,
    body: TransferRequest,
    answers: { 200: Service },
    problems: [...found, 'malformed-json', 'conflict', 'unsupported-media-type'],
    handle: ({ params, body, caller }) => transferService(platform, contextOf(caller), params.serviceId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId',
    id: 'deleteService',
    tag,
    access: 'service:delete',
    summary: 'Delete a service with its versions and subscriptions',
    params: servicePath,
    answers: { 204: null },
    problems: [...change],
    handle: ({ params, caller, request }) => deleteService(platform, contextOf(caller), params.serviceId, request),
  }),
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions',
    id: 'addServiceVersion',
    tag,
    access: 'service:change',
    consumes: { [zipMedia]: Bytes, 'application/json': AddOnPremiseVersionRequest },
    summary: 'Add the next version as a draft',
    description: 'The ZIP for a managed service, the target for one that runs elsewhere.',
    params: servicePath,
    answers: { 201: ServiceVersion },
    problems: [...found, 'malformed-json', 'conflict', ...upload, ...repeat],
    handle: ({ params, caller, request }) => addVersion(platform, contextOf(caller), params.serviceId, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version',
    id: 'getServiceVersion',
    tag,
    access: 'service:read',
    summary: 'Read a version',
    params: versionPath,
    answers: { 200: ServiceVersion },
    problems: [...found],
    handle: ({ params, caller }) => readVersion(platform, contextOf(caller), params.serviceId, params.version),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/source',
    id: 'downloadSource',
    tag,
    access: 'service:read',
    summary: 'Download the source as it was uploaded',
    params: versionPath,
    answers: { 200: { media: ['application/zip'] } },
    problems: [...found],
    handle: ({ params, caller }) => readSource(platform, contextOf(caller), params.serviceId, params.version),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/source',
    id: 'replaceSource',
    tag,
    access: 'service:change',
    consumes: { [zipMedia]: Bytes },
    summary: 'Replace the source of a draft and build it',
    params: versionPath,
    answers: { 202: Build },
    problems: [...change, 'version-published', ...upload],
    handle: ({ params, caller, request }) =>
      replaceSource(platform, contextOf(caller), params.serviceId, params.version, uploadOf(request), request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/configuration',
    id: 'configureServiceVersion',
    tag,
    access: 'service:change',
    summary: 'Change resources, limits and environment variables of a draft',
    params: versionPath,
    body: RuntimeConfiguration,
    answers: { 200: ServiceVersion },
    problems: [...change, 'malformed-json', 'version-published'],
    handle: ({ params, body, caller, request }) =>
      configure(platform, contextOf(caller), params.serviceId, params.version, body, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/target',
    id: 'setTarget',
    tag,
    access: 'service:change',
    summary: 'Change where a version of an on-premise service runs',
    description:
      'Of a draft and of a published version: a host that moves takes its subscribers along. Recorded in the audit log.',
    params: versionPath,
    body: TargetRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'malformed-json', 'unsupported-media-type', 'version-published'],
    handle: ({ params, body, caller, request }) =>
      setTarget(platform, contextOf(caller), params.serviceId, params.version, body, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/build',
    id: 'getBuild',
    tag,
    access: 'service:read',
    summary: 'Read the build of a version',
    description: '`Prefer: wait=N` waits for its status to change.',
    params: versionPath,
    answers: { 200: Build, 304: null },
    problems: [...found],
    handle: ({ params, caller, request }) =>
      readBuild(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/build/log',
    id: 'getBuildLog',
    tag,
    access: 'service:read',
    summary: 'Read or follow the log of the build',
    params: versionPath,
    answers: { 200: { media: [...logMedia] } },
    problems: [...found, 'not-acceptable'],
    handle: ({ params, caller, request, reply }) =>
      readBuildLog(platform, contextOf(caller), params.serviceId, params.version, request, reply),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/publication',
    id: 'publishServiceVersion',
    tag,
    access: 'service:publish',
    summary: 'Publish a version internally',
    description: 'From then on the version cannot be changed and applications of its owner can subscribe.',
    params: versionPath,
    body: PublicationRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'malformed-json', 'build-not-succeeded', 'conflict'],
    handle: ({ params, caller, request }) =>
      publish(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
];
