import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from '../platform.ts';
import { FOLLOWED_MS } from './copied-source.ts';
import { addCopy, answerReaders, findFollowed, LOG_COPIED, LOG_WANTED, unansweredOf } from './copies.ts';

/** Milliseconds between two looks for requests, in case a notification was lost. */
const POLL_MS = 1_000;
/** Milliseconds between two copies of a log. A log that grows faster is copied in larger pieces. */
const PAUSE_MS = 100;

/** The logs that this process is writing. */
interface WrittenLogs {
  ids(): readonly string[];
  /** Complete lines from a position on, at most 1 MiB; empty if there are no more. */
  read(id: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
}

interface Following {
  /** Monotonic time in milliseconds until which new lines are copied. */
  until: number;
  again: boolean;
  working: Promise<void> | null;
}

/**
 * Copies logs into the database while other processes read them. Other processes cannot read the file of a log, and a
 * worker has no address at which they could ask for it.
 */
export class LogCopier {
  readonly #platform: Platform;
  readonly #logs: WrittenLogs;
  readonly #followed = new Map<string, Following>();
  #unlisten: (() => void) | null = null;
  #poll: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(platform: Platform, logs: WrittenLogs) {
    this.#platform = platform;
    this.#logs = logs;
  }

  start(): void {
    this.#unlisten = this.#platform.database.listen(LOG_WANTED, (id) => {
      if (this.#logs.ids().includes(id)) this.#follow(id);
    });
    this.#poll = setInterval(() => void this.#look(), POLL_MS);
  }

  /** Called when a log has new lines. */
  grown(id: string): void {
    if (this.#followed.has(id)) this.#copySoon(id);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten?.();
    if (this.#poll) clearInterval(this.#poll);
    for (const { working } of this.#followed.values()) await working;
  }

  async #look(): Promise<void> {
    const ids = this.#logs.ids();
    for (const [id, { until, working }] of this.#followed)
      if (working === null && (until < performance.now() || !ids.includes(id))) this.#followed.delete(id);
    if (ids.length === 0) return;
    try {
      for (const { log_id } of await unansweredOf(this.#platform.database, ids)) this.#follow(log_id);
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'could not look for readers of logs');
    }
  }

  #follow(id: string): void {
    const until = performance.now() + FOLLOWED_MS;
    const known = this.#followed.get(id);
    if (known) known.until = until;
    else this.#followed.set(id, { until, again: false, working: null });
    this.#copySoon(id);
  }

  #copySoon(id: string): void {
    const following = this.#followed.get(id);
    if (!following || this.#stopped) return;
    following.again = true;
    following.working ??= this.#work(id, following).finally(() => {
      following.working = null;
    });
  }

  async #work(id: string, following: Following): Promise<void> {
    while (following.again && !this.#stopped) {
      following.again = false;
      try {
        await this.#copy(id);
      } catch (error) {
        this.#platform.log.warn({ log: id, err: error }, 'could not copy a log for its readers');
      }
      await pause(PAUSE_MS);
    }
  }

  /** Copies all new lines, then answers the requests that were made before it began. */
  async #copy(id: string): Promise<void> {
    const { database } = this.#platform;
    const followed = await findFollowed(database, id);
    if (!followed) return;
    let position = followed.copied;
    for (;;) {
      const { bytes, nextByte } = await this.#logs.read(id, position);
      if (bytes.length === 0) break;
      if (!(await addCopy(database, id, position, bytes))) return;
      position = nextByte;
    }
    if (followed.asked > followed.answered) await answerReaders(database, id, followed.asked);
    database.notify(LOG_COPIED, id);
  }
}
