import { once } from 'node:events';
import type { Database } from '../storage/index.ts';
import { askForLog, isAnswered, LOG_COPIED, readCopies } from './copies.ts';

/** Milliseconds for which the writer copies after a request. Readers request again after half of the time. */
export const FOLLOWED_MS = 10_000;
/**
 * Milliseconds that a reader waits for the writer; then the writer may be gone, and the reader gets the copies so
 * far.
 */
const TIMEOUT_MS = 3_000;
/** Milliseconds after which a waiting reader looks again, because a notification can be lost. */
const LOOK_MS = 200;

/** A log that another process writes. */
interface CopiedLog {
  /** Complete lines from a position on. Empty only after the writer was asked and had no more, or did not answer. */
  read(fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
}

/** Reads the copies that the writer of a log makes for other processes. A wait ends when `isKept` returns true. */
export function copiedLog(database: Database, logId: string, isKept: () => Promise<boolean>): CopiedLog {
  let asked = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    asked = performance.now();
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const question = await askForLog(database, logId);
    while (!limit.aborted && !(await isAnswered(database, logId, question)) && !(await isKept()))
      await onLogCopied(database, logId, AbortSignal.any([limit, AbortSignal.timeout(LOOK_MS)]));
  };
  return {
    async read(fromByte) {
      let bytes = await readCopies(database, logId, fromByte);
      if (performance.now() - asked > FOLLOWED_MS / 2) {
        await ask();
        if (bytes.length === 0) bytes = await readCopies(database, logId, fromByte);
      }
      return { bytes, nextByte: fromByte + bytes.length };
    },
  };
}

/** Resolves when more of the log may have been copied, or when the signal aborts. */
export async function onLogCopied(database: Database, logId: string, signal: AbortSignal): Promise<void> {
  const copied = new EventTarget();
  const stop = database.listen(LOG_COPIED, (id) => void (id === logId && copied.dispatchEvent(new Event('copied'))));
  try {
    await once(copied, 'copied', { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  } finally {
    stop();
  }
}
