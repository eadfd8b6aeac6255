import { Bytes, CreateServiceOfImplementationRequest, Id, limits, MadeCommit, Service } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  etag,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { IdentityProvider } from '../../../people/identity/index.ts';
import type { GitStore } from '../store.ts';
import { createServiceOf } from './create-service.ts';
import { makeCommit } from './make-commit.ts';

const tag = 'Implementations';
const base = '/-/implementations/:implementationId';
const path = Type.Object({ implementationId: Id });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

const CommitForm = Type.Object(
  {
    message: Type.Optional(Type.String({ maxLength: limits.commitMessageLength })),
    branch: Type.Optional(Type.String({ description: 'The default branch when it is left out.' })),
    remove: Type.Optional(Type.Array(Type.String(), { description: 'Paths of files to remove.' })),
    files: Type.Optional(Type.Array(Bytes, { description: 'Files, each named by its path.' })),
    archive: Type.Optional(Bytes),
  },
  { additionalProperties: false },
);

/** Endpoints that change repositories without Git, and make services of them. The process with the role `git` answers. */
export const writingEndpoints = (
  platform: Platform,
  identity: IdentityProvider,
  store: GitStore,
): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: `${base}/commits`,
    id: 'commitToImplementation',
    tag,
    access: 'implementation:push',
    summary: 'Make a commit of uploaded files, or of a ZIP that becomes the whole tree',
    description:
      'Form parts: `message`, `branch` and any number of `remove` (a path) first. Then come any number of `files`, each with its path as the name of the file. One `archive`, a ZIP of the content of the project, may come instead. A file that is replaced or renamed stays executable, or a link whose target is the content. `If-Match` names the commit that the branch must be at.',
    params: path,
    consumes: { 'multipart/form-data': CommitForm },
    answers: { 201: MadeCommit },
    problems: [
      ...found,
      'invalid-archive',
      'conflict',
      'stale',
      'too-large',
      'unsupported-media-type',
      'insufficient-storage',
    ],
    run: ({ params, caller, request }) =>
      makeCommit(platform, identity, store, contextOf(caller), params.implementationId, request),
    headers: ({ commit }) => ({ etag: etag(commit) }),
  }),
  endpoint({
    method: 'POST',
    path: `${base}/services`,
    id: 'createServiceOfImplementation',
    tag,
    access: 'implementation:build',
    summary: 'Make a service of a commit, with a draft version that is built at once',
    description:
      'Offered when `buildable` of the implementation is not null. The runtime follows from the files, unless the configuration names one.',
    params: path,
    body: CreateServiceOfImplementationRequest,
    answers: { 201: Service },
    problems: [
      ...found,
      'empty-repository',
      'nothing-to-build',
      'conflict',
      'invalid-archive',
      'storage-quota-exceeded',
      'resource-unavailable',
      'request-in-progress',
      'idempotency-key-reused',
      'too-many-builds',
      'insufficient-storage',
    ],
    run: ({ params, body, caller, request }) =>
      createServiceOf(
        platform,
        store,
        contextOf(caller),
        params.implementationId,
        body,
        request.headers['idempotency-key'],
      ),
    headers: ({ id }) => ({ location: `${platform.addresses.api}/services/${id}` }),
  }),
];
