import { parentPort, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

/** The writer waits while the log is emptied: as long as this for somebody who reads an older state, in milliseconds. */
const READERS_MS = 200;

interface Outcome {
  /** Whether somebody who reads or writes was in the way. */
  readonly busy: 0 | 1;
  readonly log: number;
  readonly checkpointed: number;
}

// Moves pages of the write-ahead log into the database file whenever it is told to, with a connection of its own: what is
// written and synced for that keeps nobody waiting. Says when it is done; what it could not do it does the next time.
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
