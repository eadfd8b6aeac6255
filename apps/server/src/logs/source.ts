import type { Blobs } from '../storage/index.ts';

/** A log as NDJSON bytes. Positions are byte offsets, the same while it is being written and when it is kept. */
export interface LogSource {
  /** Whole lines from a position on; empty when there is nothing more at the moment. */
  read(fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
  /** Whether nothing will be added any more. */
  isComplete(): Promise<boolean>;
  /** Resolves when there may be more or when it may be complete, at the latest after a second. */
  changed(signal: AbortSignal): Promise<void>;
}

/** Largest log that is kept in its row; a longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;

export interface KeptLog {
  readonly log: string | null;
  readonly log_blob: string | null;
}

/** Stores the bytes of a log that has ended: small ones in the row, which spares two file syncs per execution. */
export async function keepLog(blobs: Blobs, bytes: Buffer, key?: string): Promise<KeptLog> {
  if (bytes.length <= INLINE_BYTES) return { log: bytes.toString('utf8'), log_blob: null };
  return { log: null, log_blob: await blobs.put(bytes, key) };
}

/** A log that has ended, as it was kept. */
export function keptLogSource(blobs: Blobs, kept: KeptLog): LogSource {
  return {
    async read(fromByte) {
      if (kept.log_blob === null) {
        const bytes = Buffer.from(kept.log ?? '', 'utf8').subarray(fromByte);
        return { bytes, nextByte: fromByte + bytes.length };
      }
      const { stream } = await blobs.get(kept.log_blob, { from: fromByte });
      const bytes = Buffer.concat(await stream.toArray());
      return { bytes, nextByte: fromByte + bytes.length };
    },
    isComplete: () => Promise.resolve(true),
    changed: () => Promise.resolve(),
  };
}
