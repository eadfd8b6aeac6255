import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type SQLite from 'better-sqlite3';

const syncFile = promisify(fdatasync);

/** So many pages are written into the database file together, when there are as many. */
const PAGES_PER_CHECKPOINT = 1_000;
/** A log of so many pages starts over as soon as all of it is in the database file; nothing is written while the rest gets there. */
const LONG = 2_000;
/** As long as this it gets only when the checkpoints do not keep up: then the writer waits for them. */
const TOO_LONG = 6_000;
/** Without them SQLite makes one itself, inside a commit. */
const LAST_RESORT = 8_000;
/** Milliseconds between two attempts to empty the log; each keeps the writer waiting for whoever reads an older state. */
const EMPTY_EVERY_MS = 5_000;

interface Pages {
  /** In the log. */
  readonly log: number;
  /** Of these, in the database file as well. */
  readonly checkpointed: number;
}

/**
 * Brings commits onto the disk, and from the write-ahead log into the database file, while the thread of JavaScript does
 * other things: a disk that is busy takes hundreds of milliseconds now and then for what otherwise takes one. SQLite itself
 * syncs only what keeps the file whole (`synchronous = NORMAL`: a loss of power takes the last commits away, never a part of
 * one); a commit counts when `sync` has resolved.
 */
export class WriteAheadLog {
  readonly #file: string;
  readonly #pages: SQLite.Statement<[], Pages>;
  #descriptor: number | null = null;
  #thread: Worker | null = null;
  #checkpoint: Promise<void> | null = null;
  #startOverAt = LONG;
  /** When to try to empty the log, on the clock of `performance`. */
  #emptyAt = Infinity;

  /** Of the database in `file`, to which only this connection writes. */
  constructor(file: string, writer: SQLite.Database) {
    this.#file = file;
    writer.pragma('synchronous = NORMAL');
    writer.pragma(`wal_autocheckpoint = ${LAST_RESORT}`);
    // A process before this one may have ended before it could empty the log.
    if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) this.empty();
    this.#pages = writer.prepare<[], Pages>('pragma wal_checkpoint(noop)');
  }

  /**
   * Resolves when all that was committed before is on the disk. Of what the kernel could not write it says only once that
   * it has not: this process ends then, and the next one goes on with what there is.
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

  /** From now on `keepShort` tries to bring everything into the database file, and to cut the log off, until that is done. */
  empty(): void {
    this.#emptyAt = performance.now();
  }

  /** Between two commits: nothing is written until it resolves, which it does at once but when the log is to start over. */
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
      // In vain while somebody reads an older state: tried again, but not at each commit.
      this.#startOverAt = log + PAGES_PER_CHECKPOINT;
    } else if (left >= PAGES_PER_CHECKPOINT) void this.#runCheckpoint();
  }

  /** How many pages are in the log, and how many of these not in the database file. */
  #state(): { readonly log: number; readonly left: number } {
    const { log, checkpointed } = this.#pages.get() ?? { log: 0, checkpointed: 0 };
    return { log, left: log - checkpointed };
  }

  /** Waits for the one that is under way. */
  #runCheckpoint(): Promise<void> {
    this.#checkpoint ??= this.#inThread('PASSIVE')
      .then(() => undefined)
      .finally(() => (this.#checkpoint = null));
    return this.#checkpoint;
  }

  /** Resolves with whether all that was in the log is in the database file. */
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

  /** Before the connection is closed. */
  async close(): Promise<void> {
    await this.#checkpoint;
    await this.#thread?.terminate();
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}
