import { parentPort, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

/**
 * Milliseconds that a checkpoint waits for readers of an older state, and the writer with it; then it is incomplete.
 */
const READERS_MS = 200;

interface Outcome {
  /** True if a reader or a writer has prevented a complete checkpoint. */
  readonly busy: 0 | 1;
  readonly log: number;
  readonly checkpointed: number;
}

// Runs checkpoints on request: moves pages of the write-ahead log into the database file. Its separate connection keeps
// writes and syncs off the main thread. Posts a message after each; the next one does what an incomplete one has left.
const database = new SQLite(workerData as string, { fileMustExist: true, timeout: READERS_MS });
const checkpoints = {
  PASSIVE: database.prepare<[], Outcome>('pragma wal_checkpoint(passive)'),
  TRUNCATE: database.prepare<[], Outcome>('pragma wal_checkpoint(truncate)'),
};

parentPort?.on('message', (mode: keyof typeof checkpoints) => {
  let isDone = false;
  try {
    const outcome = checkpoints[mode].get();
    isDone = outcome !== undefined && outcome.busy === 0 && outcome.log === outcome.checkpointed;
  } catch (error) {
    console.error(`no checkpoint of the database: ${String(error)}`);
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(isDone ? 'DONE' : 'NOT_ALL');
});
