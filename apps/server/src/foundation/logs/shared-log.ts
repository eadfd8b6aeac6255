import { setTimeout as pause } from 'node:timers/promises';
import { chunksOf, type Chunk, type ChunkCache, type LineFormat } from '@kethub/service-api';
import type { LogSource } from './source.ts';

/** Milliseconds before a source that has failed is asked again. */
const AGAIN_MS = 1_000;

/**
 * A log with any number of readers in this process. Readers at the same position share one read, and all share one
 * listener. A reader has no state but its position, so a slow one delays no other and takes no memory.
 */
export class SharedLog {
  readonly #source: LogSource;
  readonly #key: string;
  readonly #cache: ChunkCache;
  readonly #complete: Coalesced<boolean>;
  readonly #reads = new Map<string, Coalesced<Chunk | null>>();
  readonly #closed = new AbortController();
  readonly #waiting = new Set<() => void>();
  #watches = false;
  #version = 0;

  /** @param key names the log in the cache. */
  constructor(source: LogSource, key: string, cache: ChunkCache) {
    this.#source = source;
    this.#key = key;
    this.#cache = cache;
    this.#complete = new Coalesced(() => source.isComplete());
  }

  /** Number of changes seen so far. A reader takes it before reading, and passes it to `changed`. */
  get version(): number {
    return this.#version;
  }

  /**
   * Returns whether the log is complete, so that later calls of `chunk` see all of it. The first call starts the
   * listener.
   */
  isComplete(): Promise<boolean> {
    if (!this.#watches) void this.#watch();
    return this.#complete.ask();
  }

  /** The next lines from a position on, or null if there are no more at the moment. */
  async chunk(format: LineFormat, from: number): Promise<Chunk | null> {
    const at = `${format} ${from}`;
    const known = this.#cache.get(`${this.#key} ${at}`);
    if (known) return known;
    let read = this.#reads.get(at);
    if (read === undefined) {
      read = new Coalesced(() => this.#read(format, from));
      this.#reads.set(at, read);
    }
    try {
      return await read.ask();
    } finally {
      if (read.isIdle) this.#reads.delete(at);
    }
  }

  async #read(format: LineFormat, from: number): Promise<Chunk | null> {
    const known = this.#cache.get(`${this.#key} ${format} ${from}`);
    if (known) return known;
    const { bytes } = await this.#source.read(from);
    const chunks = chunksOf(bytes, from, format);
    let position = from;
    for (const chunk of chunks) {
      this.#cache.set(`${this.#key} ${format} ${position}`, chunk);
      position = chunk.nextByte;
    }
    return chunks[0] ?? null;
  }

  /** Resolves when the log may have changed since `version`, or when the signal aborts. */
  async changed(version: number, signal: AbortSignal): Promise<void> {
    if (this.#version !== version || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /** Ends the listener; to be called after the last reader. */
  close(): void {
    this.#closed.abort();
    this.#notify();
  }

  async #watch(): Promise<void> {
    this.#watches = true;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // A failure is not reported here: readers get it when they read.
      await this.#source.changed(signal).catch(() => pause(AGAIN_MS, undefined, { signal }).catch(() => undefined));
      this.#notify();
    }
  }

  #notify(): void {
    this.#version += 1;
    for (const done of this.#waiting) done();
  }
}

/**
 * Coalesces concurrent calls of a function. Each caller gets the result of a run that began after the call. At most
 * one run is in progress and one is waiting.
 */
class Coalesced<T> {
  readonly #seek: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(seek: () => Promise<T>) {
    this.#seek = seek;
  }

  /** True if no caller is waiting. */
  get isIdle(): boolean {
    return this.#running === null && this.#next === null;
  }

  ask(): Promise<T> {
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<T> {
    this.#next = null;
    const running = this.#seek().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
