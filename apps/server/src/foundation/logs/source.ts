import type { Blobs } from '../storage/index.ts';

/** A log as NDJSON bytes. Positions are byte offsets, which stay the same when the ended log is stored. */
export interface LogSource {
  /** Complete lines from a position on; empty if there are no more at the moment. */
  read(fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
  /** Returns whether no line will be added any more. */
  isComplete(): Promise<boolean>;
  /** Resolves when the log may have more lines or be complete, at the latest after a second. */
  changed(signal: AbortSignal): Promise<void>;
}

/** Most bytes of a log that is stored in its row; a longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;
/** Bytes of a stored log that are read at a time, in complete lines; doubled for a longer line. */
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface KeptLog {
  readonly log: string | null;
  readonly log_blob: string | null;
}

/** A log as the columns of its row. */
export interface StoredLog extends KeptLog {
  /** Size in bytes if it is a blob, else null. */
  readonly log_bytes: number | null;
}

/** Stores a log that has ended. A small one is stored in its row, which saves two file syncs per execution. */
export async function keepLog(bytes: Buffer, put: (bytes: Buffer) => Promise<string>): Promise<StoredLog> {
  if (bytes.length <= INLINE_BYTES) return { log: bytes.toString('utf8'), log_blob: null, log_bytes: null };
  return { log: null, log_blob: await put(bytes), log_bytes: bytes.length };
}

/** Returns whether the log of this row has ended and is stored. */
export function isKept(row: KeptLog | undefined): boolean {
  return row !== undefined && (row.log !== null || row.log_blob !== null);
}

/** A stored log as a source. */
export function keptLogSource(blobs: Blobs, kept: KeptLog): LogSource {
  return {
    async read(fromByte) {
      if (kept.log_blob === null) {
        const bytes = Buffer.from(kept.log ?? '', 'utf8').subarray(fromByte);
        return { bytes, nextByte: fromByte + bytes.length };
      }
      // Reads in pieces, so that a slow reader has at most one of them in memory.
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
