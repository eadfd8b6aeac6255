import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import {
  describeDownload,
  download,
  isFresh,
  notModified,
  Problem,
  requestedRange,
  requireMatch,
  type Answer,
  type Download,
} from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { DataPoolFileRow } from '../../foundation/storage/index.ts';
import { requireFileName } from './file-name.ts';
import { fileTag } from './present.ts';
import { findFile } from './queries.ts';
import { requirePool } from './rights.ts';

/** The content of a file, or a range of it. */
export async function downloadFile(
  platform: Platform,
  context: Context,
  poolId: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, context, poolId, name);
  const unchanged = answerOfTag(file, request);
  if (unchanged) return unchanged;
  const range = requestedRange(request, file.bytes, fileTag(file));
  const stream = await open(platform, file, range ?? undefined);
  // The file was replaced or deleted since it was looked up, so it is looked up again.
  if (!stream) return downloadFile(platform, context, poolId, name, request);
  return download(downloadOf(file), range, stream);
}

/** The answer to HEAD: the headers of a file without its content. */
export async function describeFile(
  platform: Platform,
  context: Context,
  poolId: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, context, poolId, name);
  return answerOfTag(file, request) ?? describeDownload(downloadOf(file));
}

/**
 * The answer 304 of `If-None-Match`, or null when the file is to be sent. Throws stale when `If-Match` names another
 * version.
 */
function answerOfTag(file: DataPoolFileRow, request: FastifyRequest): Answer | null {
  const tag = fileTag(file);
  requireMatch(request.headers['if-match'], tag);
  return isFresh(request, tag) ? notModified(tag) : null;
}

async function requireFile(
  { database }: Platform,
  context: Context,
  poolId: string,
  name: string,
): Promise<DataPoolFileRow> {
  requireFileName(name);
  await requirePool(database.read, context, poolId, 'data-pool:read');
  const file = await findFile(database.read, poolId, name);
  if (!file) throw new Problem('not-found', 'The data pool has no file of this name.');
  return file;
}

/** Opens the content as a stream. Null when the file has other content by now. */
async function open(
  { blobs, database }: Platform,
  file: DataPoolFileRow,
  range: { from: number; to: number } | undefined,
): Promise<Readable | null> {
  try {
    return (await blobs.get(file.blob, range)).stream;
  } catch (error) {
    const now = await findFile(database.read, file.data_pool_id, file.name);
    if (now?.blob === file.blob) throw error;
    return null;
  }
}

function downloadOf(file: DataPoolFileRow): Download {
  return {
    name: file.name,
    tag: fileTag(file),
    bytes: file.bytes,
    mediaType: file.media_type,
    contentSecurityPolicy: "default-src 'none'; sandbox",
    headers: {
      'last-modified': new Date(file.updated_at).toUTCString(),
      // RFC 9530: the digest is that of the whole file, also when a range is sent.
      'repr-digest': `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:`,
    },
  };
}
