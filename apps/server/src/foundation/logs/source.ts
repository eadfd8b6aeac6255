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
/** Of a kept log that is read at once: whole lines, or one line that is longer. */
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface KeptLog {
  readonly log: string | null;
  readonly log_blob: string | null;
}

/** A log as the columns of its row. */
export interface StoredLog extends KeptLog {
  /** Size in bytes where it lies in a blob, else null. */
  readonly log_bytes: number | null;
}

/** Stores the bytes of a log that has ended: small ones in the row, which spares two file syncs per execution. */
export async function keepLog(bytes: Buffer, put: (bytes: Buffer) => Promise<string>): Promise<StoredLog> {
  if (bytes.length <= INLINE_BYTES) return { log: bytes.toString('utf8'), log_blob: null, log_bytes: null };
  return { log: null, log_blob: await put(bytes), log_bytes: bytes.length };
}

/** Whether the log of this row has ended and is kept. */
export function isKept(row: KeptLog | undefined): boolean {
  return row !== undefined && (row.log !== null || row.log_blob !== null);
}

/** A log that has ended, as it was kept. */
export function keptLogSource(blobs: Blobs, kept: KeptLog): LogSource {
  return {
    async read(fromByte) {
      if (kept.log_blob === null) {
        const bytes = Buffer.from(kept.log ?? '', 'utf8').subarray(fromByte);
        return { bytes, nextByte: fromByte + bytes.length };
      }
      // In pieces: however slowly somebody reads, no more than one of them waits in memory.
      for (let piece = PIECE_BYTES; ; piece *= 2) {
        const { stream } = await blobs.get(kept.log_blob, { from: fromByte, to: fromByte + piece - 1 });
        const read = Buffer.concat(await stream.toArray());
        const bytes = read.length < piece ? read : read.subarray(0, read.lastIndexOf(NEWLINE) + 1);
        if (bytes.length > 0 || read.length < piece) return { bytes, nextByte: fromByte + bytes.length };
      }
    },
    isComplete: () => Promise.resolve(true),
    changed: () => Promise.resolve(),
  };
}
