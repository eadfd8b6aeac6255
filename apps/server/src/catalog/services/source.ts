import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limits } from '@kethub/contract';
import { pythonOfArchive, type AskedPython } from '@kethub/runtime/build';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { requireFreeSpace } from '../quotas/index.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';

/** A stored ZIP. Its blob is marked as an orphan until a version refers to it. */
export interface Source {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** The version of Python that its files ask for, or null. */
  readonly asked: AskedPython | null;
  /** The commit that it was taken from; absent for an upload. */
  readonly origin?: SourceOrigin;
}

/** A commit of an implementation. */
export interface SourceOrigin {
  readonly implementationId: string;
  /** Branch or tag, as the caller named it. */
  readonly ref: string;
  readonly commit: string;
}

/** The commit that a version was made of; null for an upload. */
export function originIn(row: {
  readonly source_implementation_id: string | null;
  readonly source_ref: string | null;
  readonly source_commit: string | null;
}): SourceOrigin | null {
  const { source_implementation_id: implementationId, source_ref: ref, source_commit: commit } = row;
  return implementationId !== null && ref !== null && commit !== null ? { implementationId, ref, commit } : null;
}

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');

/**
 * Stores an uploaded ZIP while it streams in. Throws too-large, invalid-archive and insufficient-storage; then nothing
 * stays. The build checks the content, except for the version of Python (`requirePython`).
 */
export async function storeSource(platform: Platform, upload: Readable): Promise<Source> {
  requireFreeSpace(platform);
  const { blobs, database, now } = platform;
  const blob = blobs.newKey();
  const hash = createHash('sha256');
  let bytes = 0;
  let start = Buffer.alloc(0);
  const counted = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      if (start.length < ZIP.length) start = Buffer.concat([start, chunk]).subarray(0, ZIP.length);
      if (bytes > limits.sourceArchiveBytes) {
        done(new Problem('too-large', `A ZIP may have at most ${limits.sourceArchiveBytes} bytes.`));
      } else done(null, chunk);
    },
    // The body has arrived. The blob is marked only now, because a long upload could outlast an earlier mark.
    flush(done) {
      database.write((transaction) => markOrphan(transaction, blob, now())).then(() => done(), done);
    },
  });
  const [arrived, stored] = await Promise.allSettled([pipeline(upload, counted), blobs.put(counted, blob)]);
  // Thrown after the store has cleaned up, so that nothing is left when the caller sees the error.
  if (arrived.status === 'rejected') throw arrived.reason;
  if (stored.status === 'rejected') throw stored.reason;
  if (!start.equals(ZIP)) {
    await removeOrphans(database, blobs, [blob]);
    throw new Problem(
      'invalid-archive',
      bytes === 0
        ? 'The upload is empty. Send a ZIP of the project.'
        : 'The upload is not a ZIP file. Send a ZIP of the content of the project: cd project && zip -r ../project.zip .',
    );
  }
  try {
    const asked = await pythonOfArchive({
      bytes,
      read: async (from, to) => (await blobs.get(blob, { from, to })).stream,
    });
    return { blob, bytes, digest: hash.digest('hex'), asked };
  } catch (error) {
    await removeOrphans(database, blobs, [blob]);
    throw error;
  }
}
