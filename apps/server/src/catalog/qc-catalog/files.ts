import type { MultipartFile } from '@fastify/multipart';
import { limits, toTimestamp } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import {
  deleteFile,
  downloadFile,
  filesOfPool,
  findFile,
  findFileById,
  mediaTypeOf,
  requireFileName,
  requirePool,
  storeFile,
  type Arriving,
} from '../datapools/index.ts';
import { Problem, type Answer, type Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { readParts } from '../services/index.ts';
import type { DataPoolFileRow } from '../../foundation/storage/index.ts';

export async function readFiles(
  { database, addresses }: Platform,
  context: Context,
  id: string,
): Promise<Listing<DataPoolFileRow>> {
  await requirePool(database.read, context, id, 'data-pool:read');
  return {
    address: `${addresses.api}/qc-catalog/datapools/${id}/files`,
    load: (cursor, limit) => filesOfPool(database.read, id, cursor, limit),
    present: presented,
  };
}

/** Puts the part `file` of a form into a pool, in the place of a file of the same name. */
export async function addFile(
  platform: Platform,
  arriving: Arriving,
  context: Context,
  poolId: string,
  filename: string | undefined,
  request: FastifyRequest,
): Promise<PresentedFile> {
  // Checked before the form is read, which may be long.
  await requirePool(platform.database.read, context, poolId, 'data-pool-file:write');
  if (!request.isMultipart())
    throw new Problem('unsupported-media-type', 'Send multipart/form-data with a file part named "file".');
  let stored: string | null = null;
  await readParts(
    request,
    async (part) => {
      if (part.type !== 'file' || part.fieldname !== 'file' || stored !== null) return skip(part);
      const name = filename ?? part.filename;
      requireFileName(name);
      const content = { name, mediaType: mediaTypeOf({ 'content-type': part.mimetype }), bytes: 0, stream: part.file };
      await storeFile(platform, arriving, context, poolId, content, request);
      stored = name;
    },
    { fileSize: limits.dataPoolFileBytes + 1 },
  );
  if (stored === null) throw new Problem('invalid-request', 'The form has no file part named "file".');
  const row = await findFile(platform.database.read, poolId, stored);
  if (!row) throw new Problem('not-found', 'The file was deleted in the meantime.');
  return presented(row);
}

export async function readFile(
  platform: Platform,
  context: Context,
  poolId: string,
  fileId: string,
  request: FastifyRequest,
): Promise<Answer> {
  return downloadFile(platform, context, poolId, await nameOf(platform, context, poolId, fileId), request);
}

export async function removeFile(
  platform: Platform,
  context: Context,
  poolId: string,
  fileId: string,
  request: FastifyRequest,
): Promise<void> {
  return deleteFile(platform, context, poolId, await nameOf(platform, context, poolId, fileId), request);
}

async function nameOf({ database }: Platform, context: Context, poolId: string, fileId: string): Promise<string> {
  await requirePool(database.read, context, poolId, 'data-pool:read');
  const file = await findFileById(database.read, poolId, fileId);
  if (!file) throw new Problem('not-found', `The data pool has no file ${fileId}.`);
  return file.name;
}

function skip(part: { readonly type: 'field' } | MultipartFile): void {
  if (part.type === 'file') part.file.resume();
}

type PresentedFile = ReturnType<typeof presented>;

function presented(row: DataPoolFileRow) {
  return {
    id: row.id,
    dataPoolId: row.data_pool_id,
    name: row.name,
    fullPath: row.name,
    contentType: row.media_type,
    contentLength: row.bytes,
    createdAt: toTimestamp(row.created_at),
  };
}
