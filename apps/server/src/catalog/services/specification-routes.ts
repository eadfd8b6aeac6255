import { ApiSpecification } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import {
  answerUnlessFresh,
  platformEndpoint as endpoint,
  type Answer,
  type PlatformEndpoint,
  type Tagged,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import {
  deleteSpecification,
  readSpecification,
  specificationHeaders,
  uploadSpecification,
  yamlMedia,
} from './api-specification.ts';
import { change, found, refOf, tag, versionPath } from './endpoint-parts.ts';

/** Endpoints for the API specifications of versions. */
export const specificationEndpoints = (platform: Platform): PlatformEndpoint[] => [
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
    handle: async ({ params, caller, request }) =>
      answerSpecification(request, await readSpecification(platform, refOf(caller, params))),
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
    ],
    handle: async ({ params, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      const text = await uploadSpecification(platform, refOf(caller, params), request.body, ifMatch);
      return { status: 200, body: text, headers: specificationHeaders(text) };
    },
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
    handle: async ({ params, caller, request }) => {
      const text = await deleteSpecification(platform, refOf(caller, params), request.headers['if-match']);
      return { status: 204, headers: specificationHeaders(text) };
    },
  }),
];

/** Answers with an API specification, unless the caller has it. */
export function answerSpecification(request: FastifyRequest, specification: Tagged<string>): Answer {
  const answer = answerUnlessFresh(request, specification, { 'cache-control': 'private, no-cache' });
  return answer.status === 304
    ? answer
    : { ...answer, headers: { ...answer.headers, ...specificationHeaders(specification.body) } };
}
