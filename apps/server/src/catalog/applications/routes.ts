import {
  AccessKey,
  Application,
  CreateApplicationRequest,
  ElementTemplate,
  Id,
  RotateAccessKeyRequest,
  SubscribeRequest,
  Subscription,
  TransferRequest,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerTagged,
  answerUnlessFresh,
  contextOf,
  list,
  ListQuery,
  NamePart,
  noStore,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { revealSecret, rotateAccessKey } from './access-keys.ts';
import { renameApplication } from './change-application.ts';
import { createApplication } from './create-application.ts';
import { deleteApplication } from './delete-application.ts';
import { readElementTemplates } from './element-templates.ts';
import { readApplication, readApplications } from './read-applications.ts';
import { subscribe } from './subscribe.ts';
import { readSubscription, readSubscriptions, unsubscribe } from './subscriptions.ts';
import { transferApplication } from './transfer.ts';

const tag = 'Applications';
const applicationId = Type.Object({ applicationId: Id });
const keyPath = Type.Object({ applicationId: Id, keyId: Id });
const subscriptionPath = Type.Object({ applicationId: Id, subscriptionId: Id });
const Secret = Type.Object({ secretAccessKey: Type.String() }, { $id: 'SecretAccessKey' });

/** Applications, their access keys and subscriptions. */
export const applicationEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/applications',
    id: 'createApplication',
    tag,
    access: 'application:create',
    summary: 'Create an application with its first access key',
    body: CreateApplicationRequest,
    answers: { 201: Application },
    problems: ['not-found', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ body, caller, request }) =>
      createApplication(platform, contextOf(caller), body.name, request.headers['idempotency-key']),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/applications/${id}`, ...noStore }),
  }),
  endpoint({
    method: 'GET',
    path: '/applications',
    id: 'listApplications',
    tag,
    access: 'application:list',
    summary: 'List applications, newest first',
    query: Type.Object({ ...ListQuery.properties, q: Type.Optional(NamePart) }),
    answers: { 200: Type.Array(Application) },
    problems: [],
    handle: ({ caller, query }) => list(query, readApplications(platform, contextOf(caller), query)),
  }),
  endpoint({
    method: 'GET',
    path: '/applications/:applicationId',
    id: 'getApplication',
    tag,
    access: 'application:read',
    summary: 'Read an application',
    params: applicationId,
    answers: { 200: Application, 304: null },
    problems: ['invalid-request', 'not-found'],
    handle: async ({ params, caller, request }) =>
      answerUnlessFresh(request, await readApplication(platform, contextOf(caller), params.applicationId)),
  }),
  endpoint({
    method: 'PATCH',
    path: '/applications/:applicationId',
    id: 'renameApplication',
    tag,
    access: 'application:change',
    summary: 'Rename an application',
    params: applicationId,
    body: CreateApplicationRequest,
    answers: { 200: Application },
    problems: ['not-found', 'stale'],
    handle: async ({ params, body, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      return answerTagged(
        await renameApplication(platform, contextOf(caller), params.applicationId, body.name, ifMatch),
      );
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/applications/:applicationId/owner',
    id: 'transferApplication',
    tag,
    access: 'application:transfer',
    summary: 'Give an application to another owner',
    description: 'Its keys go on working. Subscriptions to services that only its former owner may use end.',
    params: applicationId,
    body: TransferRequest,
    answers: { 200: Application },
    problems: ['not-found'],
    run: ({ params, body, caller }) => transferApplication(platform, contextOf(caller), params.applicationId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/applications/:applicationId',
    id: 'deleteApplication',
    tag,
    access: 'application:delete',
    summary: 'Delete an application, its access keys and its subscriptions',
    params: applicationId,
    answers: { 204: null },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => deleteApplication(platform, contextOf(caller), params.applicationId),
  }),
  endpoint({
    method: 'POST',
    path: '/applications/:applicationId/access-keys',
    id: 'rotateAccessKey',
    tag,
    access: 'access-key:rotate',
    summary: 'Make a new access key; the ones before end after the overlap',
    params: applicationId,
    body: RotateAccessKeyRequest,
    answers: { 201: AccessKey },
    problems: ['not-found', 'conflict', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ params, body, caller, request }) =>
      rotateAccessKey(
        platform,
        contextOf(caller),
        params.applicationId,
        body.overlapSeconds,
        request.headers['idempotency-key'],
      ),
    headers: noStore,
  }),
  endpoint({
    method: 'GET',
    path: '/applications/:applicationId/access-keys/:keyId/secret',
    id: 'revealSecretAccessKey',
    tag,
    access: 'access-key:reveal',
    summary: 'Reveal the secret of an access key',
    params: keyPath,
    answers: { 200: Secret },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => revealSecret(platform, contextOf(caller), params.applicationId, params.keyId),
    headers: noStore,
  }),
  endpoint({
    method: 'POST',
    path: '/applications/:applicationId/subscriptions',
    id: 'subscribe',
    tag,
    access: 'subscription:create',
    summary: 'Subscribe to a service',
    description:
      'To what is published for the owner of the application; or, with `pricingPlanId`, to what is offered in the marketplace. 200 when the application has subscribed to this version before.',
    params: applicationId,
    body: SubscribeRequest,
    answers: { 201: Subscription, 200: Subscription },
    problems: [
      'not-found',
      'conflict',
      'pricing-plan-required',
      'on-request-only',
      'request-in-progress',
      'idempotency-key-reused',
    ],
    handle: async ({ params: { applicationId: id }, body, caller, request }) => {
      const key = request.headers['idempotency-key'];
      const { subscription, isNew } = await subscribe(platform, contextOf(caller), id, body, key);
      const location = `${platform.addresses.api}/applications/${id}/subscriptions/${subscription.id}`;
      return { status: isNew ? 201 : 200, body: subscription, headers: { location } };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/applications/:applicationId/subscriptions',
    id: 'listSubscriptions',
    tag,
    access: 'subscription:list',
    summary: 'List subscriptions with their service endpoints, newest first',
    params: applicationId,
    query: ListQuery,
    answers: { 200: Type.Array(Subscription) },
    problems: ['not-found'],
    handle: async ({ params, query, caller }) =>
      list(query, await readSubscriptions(platform, contextOf(caller), params.applicationId)),
  }),
  endpoint({
    method: 'GET',
    path: '/applications/:applicationId/element-templates',
    id: 'listElementTemplates',
    tag,
    access: 'subscription:list',
    summary: "Describe the subscribed services as element templates for Camunda's desktop modeler",
    description:
      'Save the answer as a file below `resources/element-templates` of the modeler: each service is then a task to choose.',
    params: applicationId,
    answers: { 200: Type.Array(ElementTemplate) },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => readElementTemplates(platform, contextOf(caller), params.applicationId),
  }),
  endpoint({
    method: 'GET',
    path: '/applications/:applicationId/subscriptions/:subscriptionId',
    id: 'getSubscription',
    tag,
    access: 'subscription:read',
    summary: 'Read a subscription',
    params: subscriptionPath,
    answers: { 200: Subscription },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) =>
      readSubscription(platform, contextOf(caller), params.applicationId, params.subscriptionId),
  }),
  endpoint({
    method: 'DELETE',
    path: '/applications/:applicationId/subscriptions/:subscriptionId',
    id: 'unsubscribe',
    tag,
    access: 'subscription:delete',
    summary: 'End a subscription',
    params: subscriptionPath,
    answers: { 204: null },
    problems: ['invalid-request', 'not-found'],
    run: ({ params, caller }) => unsubscribe(platform, contextOf(caller), params.applicationId, params.subscriptionId),
  }),
];
