import { Bytes, DataPoolFile, FileName, Id } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { deleteFile } from './delete-file.ts';
import { describeFile, downloadFile } from './download-file.ts';
import { readFiles } from './read-data-pools.ts';
import { uploadFile, type Arriving } from './upload-file.ts';

const tag = 'Data pools';
const poolPath = Type.Object({ dataPoolId: Id });
const filePath = Type.Object({ dataPoolId: Id, name: FileName });
const found = ['invalid-request', 'not-found', 'not-permitted'] as const;
const content = { media: ['*/*'] };

/** The files of data pools. */
export const dataPoolFileEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/data-pools/:dataPoolId/files',
    id: 'listDataPoolFiles',
    tag,
    access: 'data-pool:read',
    summary: 'List the files of a data pool, newest first',
    params: poolPath,
    query: ListQuery,
    answers: { 200: Type.Array(DataPoolFile) },
    problems: [...found],
    handle: async ({ params, query, caller }) =>
      list(query, await readFiles(platform, contextOf(caller), params.dataPoolId)),
  }),
  endpoint({
    method: 'GET',
    path: '/data-pools/:dataPoolId/files/:name',
    id: 'downloadDataPoolFile',
    tag,
    access: 'data-pool:read',
    summary: 'Download a file, or with Range a part of it',
    params: filePath,
    answers: { 200: content, 206: content, 304: null },
    problems: [...found, 'range-not-satisfiable', 'stale'],
    handle: ({ params, caller, request }) =>
      downloadFile(platform, contextOf(caller), params.dataPoolId, params.name, request),
  }),
  endpoint({
    method: 'HEAD',
    path: '/data-pools/:dataPoolId/files/:name',
    id: 'headDataPoolFile',
    tag,
    access: 'data-pool:read',
    summary: 'Read size, type and entity tag of a file',
    params: filePath,
    answers: { 200: null, 304: null },
    problems: [...found, 'stale'],
    handle: ({ params, caller, request }) =>
      describeFile(platform, contextOf(caller), params.dataPoolId, params.name, request),
  }),
  endpoint({
    method: 'DELETE',
    path: '/data-pools/:dataPoolId/files/:name',
    id: 'deleteDataPoolFile',
    tag,
    access: 'data-pool-file:delete',
    summary: 'Delete a file',
    params: filePath,
    answers: { 204: null },
    problems: [...found, 'stale'],
    run: ({ params, caller, request }) =>
      deleteFile(platform, contextOf(caller), params.dataPoolId, params.name, request),
  }),
];

/** Endpoints that read a body of any type themselves. They are mounted where no parser reads it. */
export const dataPoolUploadEndpoints = (platform: Platform): PlatformEndpoint[] => {
  const arriving: Arriving = new Map();
  return [
    endpoint({
      method: 'PUT',
      path: '/data-pools/:dataPoolId/files/:name',
      id: 'uploadDataPoolFile',
      tag,
      access: 'data-pool-file:write',
      summary: 'Upload a file, or replace the content of the one that has this name',
      description:
        'The body is the file, of any media type. `If-None-Match: *` replaces nothing; `If-Match` replaces only the content that it names.',
      params: filePath,
      consumes: { 'application/octet-stream': Bytes },
      answers: { 200: DataPoolFile, 201: DataPoolFile },
      problems: [
        ...found,
        'conflict',
        'storage-quota-exceeded',
        'stale',
        'too-large',
        'unsupported-media-type',
        'insufficient-storage',
      ],
      handle: ({ params, caller, request }) =>
        uploadFile(platform, arriving, contextOf(caller), params.dataPoolId, params.name, request),
    }),
  ];
};
