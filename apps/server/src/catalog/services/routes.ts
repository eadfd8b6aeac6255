import {
  Build,
  AddOnPremiseVersionRequest,
  AddVersionForm,
  ApiSpecification,
  Bytes,
  CreateOnPremiseServiceRequest,
  CreateServiceForm,
  Id,
  PublicationRequest,
  RetirementRequest,
  RuntimeConfiguration,
  Service,
  ServiceVersion,
  TargetRequest,
  TransferRequest,
  UpdateServiceRequest,
  Version,
  VersionNumber,
  WorkflowApplicationRequest,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import { logContent, logProblems } from '../../foundation/logs/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { deleteSpecification, readSpecification, uploadSpecification, yamlMedia } from './api-specification.ts';
import { deleteService, updateService } from './change-services.ts';
import { addVersion } from './add-version.ts';
import { configure, replaceSource } from './change-versions.ts';
import { publish } from './publish-version.ts';
import { createService } from './create-service.ts';
import { setTarget } from './on-premise.ts';
import {
  readBuild,
  readBuildLog,
  readService,
  readServices,
  readSource,
  readVersion,
  readVersions,
} from './read-services.ts';
import { retire, withdrawRetirement } from './retirement.ts';
import { DeletionQuery } from './subscribers.ts';
import { transferService } from './transfer.ts';
import { zipMedia } from './upload.ts';
import { setWorkflowApplication } from './workflow-versions.ts';
import { bpmnMedia } from './workflow/index.ts';

const tag = 'Services';
const createForm = Type.Object(
  { ...CreateServiceForm.properties, source: Bytes },
  { additionalProperties: false, description: '`configuration` as JSON.' },
);
const versionForm = Type.Object(
  { ...AddVersionForm.properties, source: Bytes },
  {
    additionalProperties: false,
    description:
      'As of `POST /services`. Name and description are those of the service: another `name` is refused, and `description` changes nothing.',
  },
);
const servicePath = Type.Object({ serviceId: Id });
const versionPath = Type.Object({ serviceId: Id, version: Version });
const found = ['invalid-request', 'not-found'] as const;
const change = [...found, 'stale'] as const;
const upload = [
  'invalid-archive',
  'too-large',
  'unsupported-media-type',
  'storage-quota-exceeded',
  'insufficient-storage',
] as const;
const repeat = ['request-in-progress', 'idempotency-key-reused'] as const;

/** Services, their versions, source, builds and publication. */
export const serviceEndpoints = (platform: Platform, mailer: Mailer): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/services',
    id: 'createService',
    tag,
    access: 'service:create',
    consumes: { 'multipart/form-data': createForm, 'application/json': CreateOnPremiseServiceRequest },
    summary: 'Create a service by uploading the ZIP of its project or a BPMN file, or one that runs elsewhere',
    description:
      'A managed service is sent as a form, an on-premise service as JSON. Form parts: `name`, `description` (optional), `version` (optional), `configuration` (optional, JSON of RuntimeConfiguration), then the file `source`: a ZIP of the content of the project, not of its folder. The first version, 1.0.0 unless another is chosen, is a draft; its build starts at once. With the part `type` = WORKFLOW the file is the BPMN file of a workflow service, and `applicationId` (optional) the application as which its tasks call services; `workflow.problems` of the version says what keeps it from being deployed.',
    answers: { 201: Service },
    problems: [
      'invalid-request',
      'malformed-json',
      'conflict',
      ...upload,
      ...repeat,
      'too-many-requests',
      'too-many-builds',
    ],
    handle: ({ caller, request }) => createService(platform, contextOf(caller), request),
  }),
  endpoint({
    method: 'GET',
    path: '/services',
    id: 'listServices',
    tag,
    access: 'service:list',
    summary: 'List services, newest first',
    query: ListQuery,
    answers: { 200: Type.Array(Service) },
    problems: ['invalid-request'],
    handle: ({ caller, query }) => readServices(platform, contextOf(caller), query),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId',
    id: 'getService',
    tag,
    access: 'service:read',
    summary: 'Read a service with its newest versions',
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
    problems: [...found, 'malformed-json', 'conflict', 'unsupported-media-type', 'storage-quota-exceeded'],
    handle: ({ params, body, caller }) => transferService(platform, contextOf(caller), params.serviceId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId',
    id: 'deleteService',
    tag,
    access: 'service:delete',
    summary: 'Delete a service with its versions and subscriptions',
    description:
      'One with subscriptions with `force=true`: those who have subscribed are told, and keep their results.',
    params: servicePath,
    query: DeletionQuery,
    answers: { 204: null },
    problems: [...change, 'service-in-use'],
    handle: ({ params: { serviceId: id }, query, caller, request }) =>
      deleteService(platform, mailer, contextOf(caller), id, query, request),
  }),
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions',
    id: 'addServiceVersion',
    tag,
    access: 'service:change',
    consumes: {
      [zipMedia]: Bytes,
      [bpmnMedia[0]]: Bytes,
      'multipart/form-data': versionForm,
      'application/json': AddOnPremiseVersionRequest,
    },
    summary: 'Add the next version as a draft',
    description:
      'The ZIP for a managed service, the BPMN file for a workflow service, or the same form as of `POST /services`; the target for one that runs elsewhere. A draft whose build has failed, or whose workflow has problems, is replaced; any other draft has to be published first, or changed.',
    params: servicePath,
    query: Type.Object({ version: Type.Optional(VersionNumber) }),
    answers: { 201: ServiceVersion },
    problems: [...found, 'malformed-json', 'conflict', ...upload, ...repeat, 'too-many-requests', 'too-many-builds'],
    handle: ({ params, query, caller, request }) =>
      addVersion(platform, contextOf(caller), params.serviceId, query.version, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions',
    id: 'listServiceVersions',
    tag,
    access: 'service:read',
    summary: 'List the versions of a service, newest first',
    params: servicePath,
    query: ListQuery,
    answers: { 200: Type.Array(ServiceVersion) },
    problems: [...found],
    handle: ({ params, query, caller }) => readVersions(platform, contextOf(caller), params.serviceId, query),
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
    answers: { 200: { media: ['application/zip', 'application/xml'] } },
    problems: [...found],
    handle: ({ params, caller }) => readSource(platform, contextOf(caller), params.serviceId, params.version),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/source',
    id: 'replaceSource',
    tag,
    access: 'service:change',
    consumes: { [zipMedia]: Bytes, [bpmnMedia[0]]: Bytes },
    summary: 'Replace the source of a draft and build it',
    description: 'The ZIP of a managed service; or the BPMN file of a workflow service, which is answered with 200.',
    params: versionPath,
    answers: { 200: ServiceVersion, 202: Build },
    problems: [...change, 'version-published', ...upload, 'too-many-requests', 'too-many-builds'],
    handle: ({ params, caller, request }) =>
      replaceSource(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/workflow/application',
    id: 'setWorkflowApplication',
    tag,
    access: 'service:change',
    summary: 'Set as which application the tasks of a workflow draft call services',
    params: versionPath,
    body: WorkflowApplicationRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'malformed-json', 'version-published', 'unsupported-media-type'],
    handle: ({ params, body, caller, request }) =>
      setWorkflowApplication(
        platform,
        contextOf(caller),
        params.serviceId,
        params.version,
        body.applicationId,
        request,
      ),
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
    problems: [...change, 'malformed-json', 'version-published', 'too-many-builds'],
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
    waits: true,
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
    answers: { 200: logContent },
    problems: [...found, ...logProblems],
    handle: ({ params, caller, request, reply }) =>
      readBuildLog(platform, contextOf(caller), params.serviceId, params.version, request, reply),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/publication',
    id: 'publishServiceVersion',
    tag,
    access: 'service:publish',
    summary: 'Publish a version, or change the visibility of a published one',
    description:
      'From then on the version cannot be changed. `INTERNAL`: applications of its owner, and of those it is shared with, can subscribe. `SHARED`: no application can; those it is shared with run it as a job, and it may be offered in the marketplace. Whoever changes `INTERNAL` to `SHARED` ends the calls of internal subscriptions. A workflow is deployed with this: `errors` of a refusal names the elements.',
    params: versionPath,
    body: PublicationRequest,
    answers: { 200: ServiceVersion },
    problems: [
      ...change,
      'malformed-json',
      'build-not-succeeded',
      'resource-unavailable',
      'conflict',
      'invalid-workflow',
    ],
    handle: ({ params, body, caller, request }) =>
      publish(platform, contextOf(caller), params.serviceId, params.version, body.visibility, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/retirement',
    id: 'retireServiceVersion',
    tag,
    access: 'service:retire',
    summary: 'Announce from when on a version cannot be started any more',
    description:
      'Until the sunset its answers carry Deprecation (RFC 9745) and Sunset (RFC 8594), and no new subscription is taken; afterwards a start is answered with 410. Executions that run go on; what has been started stays readable.',
    params: versionPath,
    body: RetirementRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'malformed-json', 'conflict', 'unsupported-media-type'],
    handle: ({ params, body, caller, request }) =>
      retire(platform, contextOf(caller), params.serviceId, params.version, body.sunset, request),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/versions/:version/retirement',
    id: 'withdrawRetirement',
    tag,
    access: 'service:retire',
    summary: 'Take the announcement back, before the sunset',
    params: versionPath,
    answers: { 200: ServiceVersion },
    problems: [...change, 'conflict'],
    handle: ({ params, caller, request }) =>
      withdrawRetirement(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/api-specification',
    id: 'getApiSpecification',
    tag,
    access: 'service:read',
    summary: 'Read the API specification of a version',
    description:
      'The uploaded OpenAPI document; else one that is derived from the signature of run(); else the default template. Server and security are those of this installation. Subscribers read the same at openapi.json below the service endpoint.',
    params: versionPath,
    answers: { 200: ApiSpecification, 304: null },
    problems: [...found],
    handle: ({ params, caller, request }) =>
      readSpecification(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/api-specification',
    id: 'uploadApiSpecification',
    tag,
    access: 'service:change',
    consumes: Object.fromEntries(['application/json', ...yamlMedia].map((media) => [media, ApiSpecification])),
    summary: 'Upload the API specification of a draft: OpenAPI 3.0 or 3.1, as JSON or YAML',
    description:
      'The operations must not be changed or extended, and the schemas InputData, InputParams and ResultResponse with `_links` and `_embedded` must stay. References lead within the document. At most 524,288 bytes, nested at most 64 deep.',
    params: versionPath,
    answers: { 200: ApiSpecification },
    problems: [
      ...change,
      'malformed-json',
      'version-published',
      'too-large',
      'unsupported-media-type',
      'invalid-api-specification',
      'too-many-requests',
    ],
    handle: ({ params, caller, request }) =>
      uploadSpecification(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/versions/:version/api-specification',
    id: 'deleteApiSpecification',
    tag,
    access: 'service:change',
    summary: 'Take the uploaded API specification of a draft away',
    params: versionPath,
    answers: { 204: null },
    problems: [...change, 'version-published'],
    handle: ({ params, caller, request }) =>
      deleteSpecification(platform, contextOf(caller), params.serviceId, params.version, request),
  }),
];
