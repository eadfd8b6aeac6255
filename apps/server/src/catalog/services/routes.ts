import {
  Bytes,
  CreateOnPremiseServiceRequest,
  CreateServiceForm,
  Service,
  TransferRequest,
  UpdateServiceRequest,
  serviceTypes,
  versionStates,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerRevised,
  contextOf,
  list,
  ListQuery,
  NamePart,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { deleteService, updateService } from './change-services.ts';
import { createService } from './create-service.ts';
import { change, found, repeat, servicePath, tag, upload } from './endpoint-parts.ts';
import { readService, readServices } from './read-services.ts';
import { withNewService } from './read-upload.ts';
import { specificationEndpoints } from './specification-routes.ts';
import { DeletionQuery } from './subscribers.ts';
import { transferService } from './transfer.ts';
import { versionEndpoints } from './version-routes.ts';

const createForm = Type.Object(
  { ...CreateServiceForm.properties, source: Bytes },
  { additionalProperties: false, description: '`configuration` as JSON.' },
);

/** Endpoints for services, their versions, sources, builds and publication. */
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
      'A managed service is sent as a form, an on-premise service as JSON. Form parts: `name`, `description` (optional), `version` (optional), `configuration` (optional, JSON of RuntimeConfiguration), then the file `source`. The file is a ZIP of the content of the project, not of its folder. The first version, 1.0.0 unless another is chosen, is a draft; its build starts at once. With the part `type` = WORKFLOW the file is the BPMN file of a workflow service. Its tasks call services as the application that `applicationId` (optional) names. `workflow.problems` of the version says what keeps it from being deployed.',
    answers: { 201: Service },
    problems: [
      'invalid-request',
      'malformed-json',
      'not-found',
      'conflict',
      ...upload,
      ...repeat,
      'resource-unavailable',
      'too-many-builds',
    ],
    handle: ({ caller, request }) => {
      const owner = contextOf(caller);
      return withNewService(platform, owner, request, async (added) => {
        const service = await createService(platform, owner, added, request.headers['idempotency-key']);
        return {
          status: 201,
          body: service,
          headers: { location: `${platform.addresses.api}/services/${service.id}` },
        };
      });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/services',
    id: 'listServices',
    tag,
    access: 'service:list',
    summary: 'List services, newest first',
    query: Type.Object({
      ...ListQuery.properties,
      q: Type.Optional(NamePart),
      type: Type.Optional(Type.Enum([...serviceTypes])),
      state: Type.Optional(
        Type.Enum([...versionStates], { description: 'State that at least one of the versions is in.' }),
      ),
    }),
    answers: { 200: Type.Array(Service) },
    problems: [],
    handle: ({ caller, query }) => list(query, readServices(platform, contextOf(caller), query)),
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
    handle: async ({ params, caller }) =>
      answerRevised(await readService(platform, contextOf(caller), params.serviceId)),
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
    problems: [...change, 'conflict'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(
        await updateService(platform, contextOf(caller), params.serviceId, body, request.headers['if-match']),
      ),
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
    problems: [...found, 'conflict', 'storage-quota-exceeded'],
    run: ({ params, body, caller }) => transferService(platform, contextOf(caller), params.serviceId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId',
    id: 'deleteService',
    tag,
    access: 'service:delete',
    summary: 'Delete a service with its versions and subscriptions',
    description:
      'A service with subscriptions is deleted with `force=true` only. Its subscribers are notified and keep their results.',
    params: servicePath,
    query: DeletionQuery,
    answers: { 204: null },
    problems: [...change, 'service-in-use'],
    run: ({ params, query, caller, request }) => {
      const condition = { ...query, ifMatch: request.headers['if-match'] };
      return deleteService(platform, mailer, contextOf(caller), params.serviceId, condition);
    },
  }),
  ...versionEndpoints(platform),
  ...specificationEndpoints(platform),
];
