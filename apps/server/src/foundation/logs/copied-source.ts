import { once } from 'node:events';
import type { Database } from '../storage/index.ts';
import { askForLog, isAnswered, LOG_COPIED, readCopies } from './copies.ts';

/** How long the writer goes on copying after a question: readers ask again in half of the time. */
export const FOLLOWED_MS = 10_000;
/** How long a reader waits for the writer. One that does not answer may be gone: then what was copied is what there is. */
const TIMEOUT_MS = 3_000;
/** A notification can be lost. */
const LOOK_MS = 200;

/** A log that another process is writing. */
export interface CopiedLog {
  /** Whole lines from a position on; empty only after the writer was asked and had no more. */
  read(fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
}

/** Reads the copies that the writer of a log makes for whoever reads it elsewhere. `isKept` ends the waiting. */
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
