import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type SQLite from 'better-sqlite3';

const syncFile = promisify(fdatasync);

/** Pages of the log that are not in the database file yet, from which on a checkpoint runs. */
const PAGES_PER_CHECKPOINT = 1_000;
/** Pages of the log from which on it starts over, once few are left: the writer waits while they are checkpointed. */
const LONG = 2_000;
/** Pages of the log from which on the writer waits for checkpoints, because they do not keep up. */
const TOO_LONG = 6_000;
/** Pages of the log from which on SQLite runs a checkpoint inside a commit, if all others have failed. */
const LAST_RESORT = 8_000;
/** Milliseconds between two attempts to empty the log. During each, the writer waits for readers of an older state. */
const EMPTY_EVERY_MS = 5_000;

interface Pages {
  /** Pages in the log. */
  readonly log: number;
  /** Pages of the log that are in the database file as well. */
  readonly checkpointed: number;
}

/**
 * Syncs commits to disk, and moves them from the write-ahead log into the database file, without blocking the main
 * thread. A busy disk sometimes takes hundreds of milliseconds instead of one. SQLite itself syncs only to keep the
 * file consistent (`synchronous = NORMAL`): a power loss undoes the last commits, but never a part of one. A commit is
 * durable when `sync` has resolved.
 */
export class WriteAheadLog {
  readonly #file: string;
  readonly #pages: SQLite.Statement<[], Pages>;
  #descriptor: number | null = null;
  #thread: Worker | null = null;
  #checkpoint: Promise<void> | null = null;
  #startOverAt = LONG;
  /** Time of the next try to empty the log, on the clock of `performance`. */
  #emptyAt = Infinity;

  /** The log of the database in `file`. `writer` is the only connection that writes to it. */
  constructor(file: string, writer: SQLite.Database) {
    this.#file = file;
    writer.pragma('synchronous = NORMAL');
    writer.pragma(`wal_autocheckpoint = ${LAST_RESORT}`);
    // An earlier process may have ended before it could empty the log.
    if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) this.empty();
    this.#pages = writer.prepare<[], Pages>('pragma wal_checkpoint(noop)');
  }

  /**
   * Resolves when all earlier commits are on disk. The kernel reports a failed write only once. So after a failure this
   * process ends, and the next one continues with what is on disk.
   */
  async sync(): Promise<void> {
    this.#descriptor ??= openSync(`${this.#file}-wal`, 'r');
    try {
      await syncFile(this.#descriptor);
    } catch (cause) {
      const error = new Error('What was committed may not be on the disk', { cause });
      setImmediate(() => {
        throw error;
      });
      throw error;
    }
  }

  /** Requests `keepShort` to move everything into the database file and truncate the log, until that succeeds. */
  empty(): void {
    this.#emptyAt = performance.now();
  }

  /** Keeps the log short: awaited between two commits. Resolves at once, unless the log has to start over or is to be emptied. */
  async keepShort(): Promise<void> {
    if (performance.now() >= this.#emptyAt) {
      await this.#checkpoint;
      this.#emptyAt = (await this.#inThread('TRUNCATE')) ? Infinity : performance.now() + EMPTY_EVERY_MS;
    }
    const { log, left } = this.#state();
    if (log < LONG) this.#startOverAt = LONG;
    if (log >= this.#startOverAt && (left < PAGES_PER_CHECKPOINT || log >= TOO_LONG)) {
      await this.#checkpoint;
      await this.#runCheckpoint();
      // A reader of an older state can prevent this. It is tried again, but not after each commit.
      this.#startOverAt = log + PAGES_PER_CHECKPOINT;
    } else if (left >= PAGES_PER_CHECKPOINT) void this.#runCheckpoint();
  }

  /** The pages in the log, and those of them that are not in the database file yet. */
  #state(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = this.#pages.get() ?? { log: 0, checkpointed: 0 };
    return { log, left: log - checkpointed };
  }

  /** Runs a checkpoint, or joins the running one. */
  #runCheckpoint(): Promise<void> {
    this.#checkpoint ??= this.#inThread('PASSIVE')
      .then(() => undefined)
      .finally(() => (this.#checkpoint = null));
    return this.#checkpoint;
  }

  /** Runs a checkpoint in the thread. Resolves with whether the whole log is in the database file. */
  #inThread(mode: 'PASSIVE' | 'TRUNCATE'): Promise<boolean> {
    const thread = (this.#thread ??= this.#startThread());
    return new Promise((resolve) => {
      const done = (answer: unknown): void => {
        thread.off('message', done).off('exit', done);
        resolve(answer === 'DONE');
      };
      thread.on('message', done).on('exit', done);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(mode);
    });
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: this.#file,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    thread.unref();
    thread.on('error', (error) => console.error(`no checkpoints of the database: ${error.message}`));
    thread.on('exit', () => (this.#thread = null));
    return thread;
  }

  /** Ends the thread; to be called before the connection is closed. */
  async close(): Promise<void> {
    await this.#checkpoint;
    await this.#thread?.terminate();
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}
