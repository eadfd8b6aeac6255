import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { BlobSettings } from '../config/index.ts';
import { blobPath, KEY, STORE_AWAY, type Blobs } from './blobs.ts';

/** Bytes of a part of an upload. S3 accepts 10,000 parts, so an object has at most 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts of an upload that are in memory at the same time. */
const PARTS_AT_ONCE = 4;
/** Milliseconds to connect; then the request fails. */
const CONNECT_MS = 5_000;
/** Milliseconds without a byte after which a request fails. */
const SILENCE_MS = 60_000;

/** Opens a bucket as a store of blobs. Objects are streamed in both directions, and large ones uploaded in parts. */
export function openS3(settings: Extract<BlobSettings, { kind: 'S3' }>): Blobs {
  const { bucket, prefix, endpoint, region, credentials } = settings;
  const client = new S3Client({
    region,
    // A self-hosted server rarely has a host name for each bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Not every S3 server knows the optional checksums, so they are sent only where required.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });
  const objectOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${blobPath(key)}` });
  const get: Blobs['get'] = async (key, range) => {
    const Range = range && `bytes=${range.from}-${range.to ?? ''}`;
    try {
      const object = await client.send(new GetObjectCommand({ ...objectOf(key), ...(Range && { Range }) }));
      if (!(object.Body instanceof Readable)) throw new Error('The S3 answered without a body');
      return { bytes: sizeOf(object.ContentRange, object.ContentLength), stream: named(object.Body) };
    } catch (error) {
      if (range && isNamed(error, 'InvalidRange')) return beyondTheEnd(await get(key));
      throw isNamed(error, 'NoSuchKey') ? missing(key, error) : problemOf(error);
    }
  };
  return {
    newKey: randomUUID,
    async put(source, key = randomUUID()) {
      const Body = typeof source === 'string' ? Buffer.from(source) : source;
      const params = { ...objectOf(key), Body, ContentType: 'application/octet-stream' };
      try {
        // An upload that fails removes its parts. The object appears only when it is complete.
        await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
      } catch (error) {
        // An error of the source is the cause of the upload's error.
        throw (source instanceof Readable ? source.errored : null) ?? problemOf(error);
      }
      return key;
    },
    get,
    async linkTo(key, target) {
      const { stream } = await get(key);
      try {
        await pipeline(stream, createWriteStream(target, { flags: 'wx', flush: true }));
        await chmod(target, 0o444); // whatever the umask
      } catch (error) {
        // A file that existed before was not written here and stays.
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) await rm(target, { force: true });
        throw error;
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(objectOf(key))).catch((error: unknown) => {
        throw problemOf(error);
      });
    },
    async *keys() {
      for (let ContinuationToken: string | undefined; ;) {
        const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
        const page = await client.send(list).catch((error: unknown) => {
          throw problemOf(error);
        });
        for (const { Key } of page.Contents ?? []) {
          const key = Key?.split('/').at(-1) ?? '';
          if (KEY.test(key) && Key === `${prefix}${blobPath(key)}`) yield key;
        }
        if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return;
        ContinuationToken = page.NextContinuationToken;
      }
    },
  };
}

/** The bytes of an object. A connection that is lost in the middle is an S3 that is away, and no fault of the reader. */
function named(body: Readable): Readable {
  const stream = body.pipe(new PassThrough());
  body.once('error', (error) => stream.destroy(problemOf(error) as Error));
  stream.once('close', () => body.destroy());
  // Without a listener an error would end the process. Readers hear of it in any case.
  stream.on('error', () => undefined);
  return stream;
}

/** Size of the whole object. The header of a range is `bytes 5-9/20` (RFC 9110 §14.4). */
function sizeOf(contentRange: string | undefined, contentLength: number | undefined): number {
  const size = contentRange === undefined ? contentLength : Number(contentRange.split('/')[1]);
  if (size === undefined || !Number.isSafeInteger(size)) throw new Error('The S3 did not say how long the object is');
  return size;
}

/** An empty stream for a range that begins at or after the end, as a file would give. */
function beyondTheEnd({ bytes, stream }: { bytes: number; stream: Readable }): { bytes: number; stream: Readable } {
  stream.destroy();
  return { bytes, stream: Readable.from([]) };
}

/** An error of the S3 as a sentence for the operator; any other error as it is. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : null;
  const isNetwork = status === null && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
  const isTimeout = error.name === 'TimeoutError';
  if (status === 401 || status === 403) return away(`refuses our key (${status} ${error.name})`, error);
  if (isNetwork || isTimeout || (status !== null && (status === 0 || status >= 500)))
    return away(`does not answer as it should (${status ?? error.message})`, error);
  return error;
}

function away(what: string, cause: Error): Error {
  return Object.assign(new Error(`The S3 ${what}. What needs it is tried again.`, { cause }), { code: STORE_AWAY });
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name;
}

/** An ENOENT error, as for a missing file. */
function missing(key: string, cause: unknown): Error {
  return Object.assign(new Error(`There is no blob ${key}`, { cause }), { code: 'ENOENT' });
}
