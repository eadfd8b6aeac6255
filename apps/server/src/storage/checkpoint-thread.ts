import { parentPort, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

// Moves pages of the write-ahead log into the database file whenever it is told to, with a connection of its own: what is
// written and synced for that keeps nobody waiting. Says when it is done; what it could not do it does the next time.
const database = new SQLite(workerData as string, { fileMustExist: true });
const checkpoint = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', () => {
  try {
    checkpoint.get();
  } catch (error) {
    console.error(`no checkpoint of the database: ${String(error)}`);
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage('DONE');
});
