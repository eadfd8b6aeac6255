import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DeleteObjectCommand, GetObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { BlobSettings } from '../config/index.ts';
import { blobPath, type Blobs } from './blobs.ts';

/** S3 takes 10,000 parts: of this size 80 GB. Four of them at most are in memory for each upload. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 4;
const CONNECT_MS = 5_000;
/** Without a byte for so long a request has failed. */
const SILENCE_MS = 60_000;

/** Blobs as objects of a bucket, streamed both ways; what is larger than a part is uploaded in parts. */
export function openS3(settings: Extract<BlobSettings, { kind: 'S3' }>): Blobs {
  const { bucket, prefix, endpoint, region, credentials } = settings;
  const client = new S3Client({
    region,
    // Servers of one's own rarely have a name for each bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Checksums beyond those that every S3 has are for those that ask for them.
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
      return { bytes: sizeOf(object.ContentRange, object.ContentLength), stream: object.Body };
    } catch (error) {
      if (range && isNamed(error, 'InvalidRange')) return beyondTheEnd(await get(key));
      throw isNamed(error, 'NoSuchKey') ? missing(key, error) : error;
    }
  };
  return {
    newKey: randomUUID,
    async put(source, key = randomUUID()) {
      const Body = typeof source === 'string' ? Buffer.from(source) : source;
      const params = { ...objectOf(key), Body, ContentType: 'application/octet-stream' };
      try {
        // Of one that fails the parts are removed, and no object is there before all of it is.
        await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
      } catch (error) {
        // The first thing that went wrong, not what followed from it.
        throw source instanceof Readable ? (source.errored ?? error) : error;
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
        // What is there already is not ours.
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) await rm(target, { force: true });
        throw error;
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(objectOf(key)));
    },
  };
}

/** Of the whole object: a part says `bytes 5-9/20` (RFC 9110 §14.4). */
function sizeOf(contentRange: string | undefined, contentLength: number | undefined): number {
  const size = contentRange === undefined ? contentLength : Number(contentRange.split('/')[1]);
  if (size === undefined || !Number.isSafeInteger(size)) throw new Error('The S3 did not say how long the object is');
  return size;
}

/** A range that begins at the end, or after it, is empty; as in a file. */
function beyondTheEnd({ bytes, stream }: { bytes: number; stream: Readable }): { bytes: number; stream: Readable } {
  stream.destroy();
  return { bytes, stream: Readable.from([]) };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name;
}

/** As a file that is not there. */
function missing(key: string, cause: unknown): Error {
  return Object.assign(new Error(`There is no blob ${key}`, { cause }), { code: 'ENOENT' });
}
