import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { finished, Transform, type Readable } from 'node:stream';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { requireFreeSpace } from '../quotas/index.ts';
import { markOrphan } from '../../foundation/storage/index.ts';

/** A body that has been stored. Its blob is noted as unused until somebody refers to it. */
export interface Received {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** A sender who sends nothing for so long is gone. */
const IDLE_MS = 120_000;
/** How long a sender who was refused may go on sending, to have the time to read the refusal. */
const REFUSED_MS = 5_000;

/**
 * Stores a body while it arrives; memory does not grow with it. `take` is asked for every piece and throws when it is
 * too much. `content` is the part of a form, where the body is one. When anything fails, nothing stays. Throws what `take` throws, `insufficient-storage` and `invalid-request`.
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
    // All has arrived. Noted only now, and before there is a blob: an upload may take longer than notes are kept.
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

/** Lets go of a body that nobody reads any more, after some time in which its sender can learn why. */
export function letGo(body: IncomingMessage): void {
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
