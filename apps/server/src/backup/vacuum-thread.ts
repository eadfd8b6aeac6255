import { workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';

/** Files of the database and of its copy, and milliseconds for which a lock is waited for. */
export interface Vacuum {
  readonly file: string;
  readonly target: string;
  readonly timeout: number;
}

// Copies a SQLite in one read transaction: writers go on beside it, and deleted rows are not copied. The copy may take
// many minutes, in which the main thread renews the hold on blobs.
const { file, target, timeout } = workerData as Vacuum;
const database = new SQLite(file, { readonly: true, fileMustExist: true, timeout });
database.prepare('vacuum into ?').run(target);
database.close();
