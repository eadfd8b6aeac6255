import type { RawBuilder } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../storage/index.ts';
import { Pace } from './pace.ts';

/** Milliseconds between two polls, for few workers. */
export const WORK_POLL_MS = 1_000;
/** Milliseconds after which a poll without an answer is not waited for: its connection may be dead. */
const LATE_MS = 10_000;

/** A kind of work that a worker may find in the database. */
export interface FindableWork {
  /** Time from which there is some, in epoch milliseconds, or null. It reads one row of an index. */
  readonly due: RawBuilder<number | null>;
  /** Called after each poll. */
  polled(due: number | null): void;
}

/**
 * Asks the database for all kinds of work with one prepared statement, at the pace of this worker. So an idle worker
 * costs one transaction a second. Work whose notification was lost is found this way.
 */
export class WorkPoll {
  readonly #database: Database;
  readonly #pace: Pace;
  readonly #log: Logger;
  readonly #kinds = new Set<FindableWork>();
  #ask: (() => Promise<readonly (number | null)[]>) | null = null;
  #end: (() => void) | null = null;
  /** Start of the poll under way, in monotonic milliseconds. */
  #began: number | null = null;

  constructor(database: Database, pace: Pace, log: Logger) {
    this.#database = database;
    this.#pace = pace;
    this.#log = log;
  }

  /** Polls for a kind of work as well. Returns a function that ends this. */
  add(kind: FindableWork): () => void {
    this.#kinds.add(kind);
    this.#ask = null;
    this.#end ??= this.#pace.every(WORK_POLL_MS, () => void this.#poll());
    return () => {
      this.#kinds.delete(kind);
      this.#ask = null;
      if (this.#kinds.size > 0) return;
      this.#end?.();
      this.#end = null;
    };
  }

  async #poll(): Promise<void> {
    const began = performance.now();
    if (this.#began !== null && began - this.#began < LATE_MS) return;
    this.#began = began;
    const kinds = [...this.#kinds];
    try {
      this.#ask ??= this.#statement(kinds);
      const due = await this.#ask();
      kinds.forEach((kind, at) => this.#kinds.has(kind) && kind.polled(due[at] ?? null));
    } catch (error) {
      this.#log.warn({ err: error }, 'could not look for work');
    } finally {
      if (this.#began === began) this.#began = null;
    }
  }

  #statement(kinds: readonly FindableWork[]): () => Promise<readonly (number | null)[]> {
    const query = this.#database.read.selectNoFrom(kinds.map(({ due }, at) => due.as(String(at))));
    const run = this.#database.prepare<Record<string, number | null>>(query);
    const { parameters } = query.compile();
    return async () => {
      const [row] = await run(parameters);
      return kinds.map((_kind, at) => row?.[at] ?? null);
    };
  }
}

/** The pace of a process, and its poll. */
export function createPolling(database: Database, log: Logger): { readonly pace: Pace; readonly workPoll: WorkPoll } {
  const pace = new Pace();
  return { pace, workPoll: new WorkPoll(database, pace, log) };
}
