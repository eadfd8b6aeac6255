import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { finished, Transform, type Readable } from 'node:stream';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { requireFreeSpace } from '../quotas/index.ts';
import { markOrphan } from '../../foundation/storage/index.ts';

/** A body that has been stored. Its blob is marked as an orphan until a row refers to it. */
export interface Received {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** Milliseconds after which the connection of a sender that sends nothing is closed. */
const IDLE_MS = 120_000;
/**
 * Milliseconds in which a refused sender may go on sending, so that it can read the refusal. Then the connection is
 * closed.
 */
const REFUSED_MS = 5_000;

/**
 * Stores a body while it arrives, in constant memory. `take` is called for every chunk and throws when there are too
 * many bytes. `content` is the part of a form, if the body is one. After a failure nothing stays. Throws what `take`
 * throws, `insufficient-storage` and `invalid-request`.
 */
export async function receive(
  platform: Platform,
  body: IncomingMessage,
  take: (bytes: number) => void,
  content: Readable = body,
): Promise<Received> {
  requireFreeSpace(platform);
  const { database, blobs } = platform;
  const blob = blobs.newKey();
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        take(chunk.length);
        bytes += chunk.length;
        hash.update(chunk);
        done(null, chunk);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    // The body has arrived. The blob is marked only now, because a long upload could outlast an earlier mark.
    flush(done) {
      body.setTimeout(0);
      database.write((transaction) => markOrphan(transaction, blob, platform.now())).then(() => done(), done);
    },
  });
  body.setTimeout(IDLE_MS, () => body.destroy());
  finished(content, { writable: false }, (error) => {
    if (error) counted.destroy(new Problem('invalid-request', 'The upload broke off.', { cause: error }));
  });
  try {
    await blobs.put(content.pipe(counted), blob);
  } catch (error) {
    throw isFull(error) ? diskFull(error) : error;
  }
  return { blob, bytes, digest: hash.digest('hex') };
}

/** Discards the rest of a body, and closes the connection of a sender that goes on for too long. */
export function discardBody(body: IncomingMessage): void {
  if (body.complete || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), REFUSED_MS);
  body.once('close', () => clearTimeout(timer));
  body.resume();
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL' || code === '53100';
}

function diskFull(cause: unknown): Problem {
  return new Problem('insufficient-storage', 'The disk of the platform is full. Nothing was changed.', { cause });
}
