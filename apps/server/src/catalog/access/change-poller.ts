import type { Platform } from '../../foundation/platform.ts';
import { AccessChangeLog } from './change-log.ts';

/** Milliseconds for which a poll counts: a revoked right ends within a second, also when its notification is lost. */
const RECENT_MS = 900;
/** Milliseconds between two polls. */
const POLL_EVERY_MS = 300;
/** Milliseconds after the last caller during which polls go on, so that callers need not wait for one. */
const ASKED_MS = 10_000;
/** Milliseconds between two purges of the log. */
const PURGE_EVERY_MS = 10 * 60 * 1000;
/** Milliseconds without a poll after which changes may have been purged unread: everything cached is dropped. */
const MISSED_MS = 30 * 60 * 1000;

/**
 * Reads the log of access changes every 300 ms with one statement while somebody calls, however many applications there
 * are, and reports what has changed. While the database does not answer, callers of `requireRecent` fail: nothing is decided from a
 * cache then.
 */
export class AccessChangePoller {
  readonly #platform: Platform;
  readonly #log: AccessChangeLog;
  readonly #onChange: (applicationId: string | null) => void;
  readonly #timers: NodeJS.Timeout[];
  /** Start of the last poll that succeeded, in epoch milliseconds. */
  #polledAt = Number.NEGATIVE_INFINITY;
  /** Time of the last call of `requireRecent`, in epoch milliseconds. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #polling: Promise<void> | null = null;

  /** Calls `onChange` with the id of each application that has changed, or null when it may be any. */
  constructor(platform: Platform, onChange: (applicationId: string | null) => void) {
    this.#platform = platform;
    this.#log = new AccessChangeLog(platform.database);
    this.#onChange = onChange;
    const inBackground = (work: Promise<unknown>): void => {
      work.catch((error: unknown) => platform.log.warn({ err: error }, 'could not poll the changes of access'));
    };
    this.#timers = [
      setInterval(() => {
        if (platform.now() - this.#askedAt < ASKED_MS) inBackground(this.#poll());
      }, POLL_EVERY_MS).unref(),
      setInterval(() => inBackground(this.#log.purge(platform.now())), PURGE_EVERY_MS).unref(),
    ];
  }

  /** Polls unless a poll was made within 900 ms before `now`. */
  async requireRecent(now: number): Promise<void> {
    this.#askedAt = now;
    if (this.#isRecent(now)) return;
    await this.#poll();
    // The poll that was under way may have started long before `now`.
    if (!this.#isRecent(now)) await this.#poll();
  }

  #isRecent(now: number): boolean {
    return now - this.#polledAt < RECENT_MS;
  }

  /** Starts a poll, or joins the one that is under way. */
  #poll(): Promise<void> {
    this.#polling ??= this.#read().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async #read(): Promise<void> {
    const startedAt = this.#platform.now();
    const changed = await this.#log.read();
    if (startedAt - this.#polledAt > MISSED_MS) this.#onChange(null);
    for (const id of new Set(changed)) this.#onChange(id);
    this.#polledAt = startedAt;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
