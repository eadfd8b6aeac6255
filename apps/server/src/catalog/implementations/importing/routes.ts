import { Id, ImplementationImport, ImportImplementationRequest, RestartImportRequest } from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { endImport, importImplementation, readImport, restartImport } from './imports.ts';

const tag = 'Implementations';
const path = Type.Object({ implementationId: Id });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;

/** Imports and mirrors of repositories of other servers. */
export const importEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/implementations/imports',
    id: 'importImplementation',
    tag,
    access: 'implementation:import',
    summary: 'Create an implementation of a repository on another server, once or as a mirror',
    description:
      'Branches and tags are fetched over https, within the limits of repositories and 30 minutes. Redirects are not followed, and private addresses are refused unless the operator opens them. A mirror runs every hour and is off after 10 failures in a row.',
    body: ImportImplementationRequest,
    answers: { 202: ImplementationImport },
    problems: ['not-found', 'conflict', 'request-in-progress', 'idempotency-key-reused'],
    run: ({ body, caller, request }) =>
      importImplementation(platform, contextOf(caller), body, request.headers['idempotency-key']),
    headers: ({ implementationId }) => ({
      location: `${platform.addresses.api}/implementations/${implementationId}/import`,
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/implementations/:implementationId/import',
    id: 'getImplementationImport',
    tag,
    access: 'implementation-import:read',
    summary: 'Read where an implementation comes from, and how far its import is',
    params: path,
    answers: { 200: ImplementationImport },
    problems: [...found],
    run: ({ params, caller }) => readImport(platform, contextOf(caller), params.implementationId),
  }),
  endpoint({
    method: 'PUT',
    path: '/implementations/:implementationId/import',
    id: 'restartImplementationImport',
    tag,
    access: 'implementation-import:change',
    summary: 'Run an import again that has failed, or a mirror now',
    params: path,
    body: RestartImportRequest,
    answers: { 202: ImplementationImport },
    problems: [...found, 'conflict'],
    run: ({ params, body, caller }) => restartImport(platform, contextOf(caller), params.implementationId, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/implementations/:implementationId/import',
    id: 'endImplementationImport',
    tag,
    access: 'implementation-import:change',
    summary: 'End a mirror, or break an import off; what has arrived stays',
    params: path,
    answers: { 204: null },
    problems: [...found],
    run: ({ params, caller }) => endImport(platform, contextOf(caller), params.implementationId),
  }),
];
