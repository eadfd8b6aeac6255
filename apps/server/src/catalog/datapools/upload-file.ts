import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { storageLeft, storageProblem, takeStorage, type StorageOwner } from '../quotas/index.ts';
import {
  markOrphan,
  removeOrphans,
  claimBlob,
  type DataPoolRow,
  type Queries,
} from '../../foundation/storage/index.ts';
import { requireFileName } from './file-name.ts';
import { requirePreconditions } from './preconditions.ts';
import { fileTag, presentFile } from './present.ts';
import { countFiles, findFile } from './queries.ts';
import { discardBody, receive, type Received } from './receive.ts';
import { requireLockedPool, requirePool } from './rights.ts';

/** Bytes that are arriving in this process, by the id of their pool. The row of the pool does not count them yet. */
export type Arriving = Map<string, number>;

export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/**
 * Puts a file into a pool, or replaces the content of the file of that name: whole or not at all. Rights, preconditions
 * and quotas are checked before the body is read, and again when it has arrived.
 */
export async function uploadFile(
  platform: Platform,
  arriving: Arriving,
  context: Context,
  poolId: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  try {
    requireFileName(name);
    requireBody(request);
    const content = { name, mediaType: mediaTypeOf(request.headers), bytes: announced(request), stream: request.raw };
    return await storeFile(platform, arriving, context, poolId, content, request);
  } finally {
    discardBody(request.raw);
  }
}

/** A file that arrives: the body of a request, or a part of a form. */
interface ArrivingFile {
  readonly name: string;
  readonly mediaType: string;
  /** Announced size; 0 if the sender announced none. */
  readonly bytes: number;
  readonly stream: Readable;
}

/** {@link uploadFile} for a file inside the body. */
export async function storeFile(
  platform: Platform,
  arriving: Arriving,
  context: Context,
  poolId: string,
  { name, mediaType, bytes, stream }: ArrivingFile,
  request: FastifyRequest,
): Promise<Answer> {
  const { pool } = await requirePool(platform.database.read, context, poolId, 'data-pool-file:write');
  const before = await findFile(platform.database.read, poolId, name);
  requirePreconditions(request, before ? fileTag(before) : null);
  const quota = uploadQuota(platform, arriving, pool, before, await storageLeft(platform, ownerOf(pool)));
  try {
    quota.announce(bytes);
    const received = await receive(platform, request.raw, quota.take, stream);
    return await keep(platform, context, poolId, { name, mediaType, ...received }, request);
  } finally {
    quota.release();
  }
}

function announced({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

/** Makes the row of the file refer to the stored blob. The blob is removed if that fails. */
async function keep(
  platform: Platform,
  context: Context,
  poolId: string,
  content: Received & { readonly name: string; readonly mediaType: string },
  request: FastifyRequest,
): Promise<Answer> {
  const { database, blobs, addresses } = platform;
  const { name, blob, bytes, digest } = content;
  let unused: string | null = blob;
  try {
    const { answer, replaced } = await database.write(async (transaction) => {
      const { pool } = await requireLockedPool(database, transaction, context, poolId, 'data-pool-file:write');
      const before = await findFile(transaction, poolId, name);
      requirePreconditions(request, before ? fileTag(before) : null);
      requirePoolCapacity(platform, pool, bytes - (before?.bytes ?? 0), before ? 0 : 1);
      await takeStorage(platform, transaction, ownerOf(pool), bytes - (before?.bytes ?? 0));
      await claimBlob(transaction, blob);
      const now = platform.now();
      const values = { blob, bytes, media_type: content.mediaType, digest, updated_at: now };
      const row = { id: platform.newId(), data_pool_id: poolId, name, created_at: now, ...before, ...values };
      await put(transaction, row, before !== undefined);
      await countFiles(transaction, poolId, { files: before ? 0 : 1, bytes: bytes - (before?.bytes ?? 0) });
      if (before) await markOrphan(transaction, before.blob, now);
      const headers = {
        etag: fileTag(row),
        location: `${addresses.api}/data-pools/${poolId}/files/${encodeURIComponent(name)}`,
      };
      return {
        answer: { status: before ? 200 : 201, body: presentFile(row), headers },
        replaced: before?.blob ?? null,
      };
    });
    unused = replaced;
    return answer;
  } finally {
    if (unused !== null) await removeOrphans(database, blobs, [unused]);
  }
}

type FileRow = Parameters<typeof presentFile>[0];

async function put(transaction: Queries, row: FileRow, isThere: boolean): Promise<void> {
  if (isThere) await transaction.updateTable('data_pool_files').set(row).where('id', '=', row.id).execute();
  else await transaction.insertInto('data_pool_files').values(row).execute();
}

/** The bytes that one upload may still take. */
interface UploadQuota {
  /** Throws when so many bytes, announced by Content-Length, cannot be taken. */
  announce(bytes: number): void;
  /** Counts bytes that have arrived. Throws when they are too many. */
  readonly take: (bytes: number) => void;
  release(): void;
}

function ownerOf({ owner_type: type, owner_id: id }: DataPoolRow): StorageOwner {
  return { type, id };
}

/**
 * The quota of one upload: the limit of a file, and what the pool has left beside the other uploads to it. `left` is
 * what its owner may still keep, in bytes; null is no limit.
 */
function uploadQuota(
  platform: Platform,
  arriving: Arriving,
  pool: DataPoolRow,
  before: FileRow | undefined,
  left: number | null,
): UploadQuota {
  let taken = 0;
  const check = (bytes: number): void => {
    if (bytes > limits.dataPoolFileBytes)
      throw new Problem('too-large', `A file may have at most ${limits.dataPoolFileBytes} bytes (5 GiB).`);
    const others = (arriving.get(pool.id) ?? 0) - taken;
    const more = others + bytes - (before?.bytes ?? 0);
    if (left !== null && more > left)
      throw storageProblem(`The owner of the data pool has ${left} bytes left of its quota, and ${more} are needed.`);
    requirePoolCapacity(platform, pool, more, before ? 0 : 1);
  };
  return {
    announce: check,
    take(bytes) {
      check(taken + bytes);
      taken += bytes;
      arriving.set(pool.id, (arriving.get(pool.id) ?? 0) + bytes);
    },
    release() {
      const left = (arriving.get(pool.id) ?? 0) - taken;
      if (left > 0) arriving.set(pool.id, left);
      else arriving.delete(pool.id);
    },
  };
}

/** Throws too-large when a pool cannot hold so many more bytes, and conflict for so many more files. */
export function requirePoolCapacity(
  { configuration }: Platform,
  pool: DataPoolRow,
  bytes: number,
  files: number,
): void {
  const most = configuration.dataPoolBytes;
  if (pool.bytes + bytes > most)
    throw new Problem('too-large', `A data pool holds at most ${most} bytes; this one has ${pool.bytes} already.`);
  if (pool.files + files > limits.filesOfDataPool)
    throw new Problem('conflict', `A data pool holds at most ${limits.filesOfDataPool} files. Delete some first.`);
}

/**
 * Refuses a request without a body, so that a forgotten body does not empty a file. An empty file is a body of 0 bytes.
 */
function requireBody({ headers }: FastifyRequest): void {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return;
  throw new Problem('invalid-request', 'Send the file as the body; an empty file with Content-Length: 0.');
}

/** The media type as it was sent. Throws unsupported-media-type if it is none (RFC 9110 §8.3.1). */
export function mediaTypeOf(headers: Pick<IncomingHttpHeaders, 'content-type'>): string {
  const type = headers['content-type']?.trim() || DEFAULT_MEDIA_TYPE;
  if (type.length <= limits.mediaTypeLength && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\t\x20-\x7e]*)?$/.test(type))
    return type;
  throw new Problem(
    'unsupported-media-type',
    `Content-Type must be one media type of at most ${limits.mediaTypeLength} characters, such as text/csv.`,
  );
}
