import { Worker } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import type { JsonLimits, JsonProblem, JsonShape } from '../json/index.ts';

/** A file of JSON to check and to copy while it is read. */
export interface JsonFile {
  id: number;
  path: string;
  /** Offset of the text in the file, in bytes. */
  skip: number;
  target: string;
  limits: JsonLimits;
  watched: readonly string[];
}

/** An answer of the thread. With `id` null it is only a sign of life. */
export type JsonFileAnswer =
  | { id: null }
  | { id: number; found: JsonShape | JsonProblem }
  | { id: number; error: { message: string; code: string | undefined } };

interface Waiting {
  resolve: (found: JsonShape | JsonProblem) => void;
  reject: (error: Error) => void;
}

/** Milliseconds without progress after which the thread is given up, because its disk hangs. */
const STALLED_MS = 60_000;
/** Milliseconds without work after which the thread ends. */
const IDLE_MS = 30_000;
/** Memory of the thread. It keeps a slice and some counters, however large the files are. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };

/**
 * Checks files of JSON in a thread, so that the main thread stays responsive. The thread reads a slice of each file in
 * turn.
 */
export class JsonFiles {
  readonly #stalledMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #last = 0;

  constructor(stalledMs: number = STALLED_MS) {
    this.#stalledMs = stalledMs;
  }

  /**
   * Copies the text of `path` to `target` and checks it meanwhile.
   * @throws when it cannot be read or written, or when the thread stalls. `code` is the system's error code.
   */
  async check(file: Omit<JsonFile, 'id'>): Promise<JsonShape | JsonProblem> {
    const id = ++this.#last;
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#watch(thread);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage({ ...file, id } satisfies JsonFile);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./json-files-thread.ts', import.meta.url), { resourceLimits: MEMORY });
    thread.unref();
    thread.on('message', (answer: JsonFileAnswer) => {
      if (thread !== this.#thread) return;
      if (answer.id !== null) this.#answer(answer);
      this.#watch(thread);
    });
    thread.on('error', (error) => {
      this.#giveUp(thread, messageOf(error));
    });
    thread.on('exit', () => {
      this.#giveUp(thread, 'the thread that reads it has ended');
    });
    return thread;
  }

  #answer(answer: Exclude<JsonFileAnswer, { id: null }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('found' in answer) waiting?.resolve(answer.found);
    else waiting?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
  }

  /** Restarts the timer: a thread with work must show progress, and one without work may wait a while for more. */
  #watch(thread: Worker): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const isIdle = this.#waiting.size === 0;
    this.#timer = setTimeout(
      () => {
        this.#giveUp(thread, `it could not be read within ${this.#stalledMs / 1000} seconds`);
      },
      isIdle ? IDLE_MS : this.#stalledMs,
    );
    if (isIdle) this.#timer.unref();
  }

  #giveUp(thread: Worker, why: string): void {
    if (thread !== this.#thread) return;
    this.#thread = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // The thread may be blocked in a system call, which returns when the disk answers.
    void thread.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }
}
