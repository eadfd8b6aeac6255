import { AccessChangeLog } from '../../catalog/access/index.ts';
import type { Platform } from '../../foundation/platform.ts';

/** What is revoked ends within a second, also when the notification of it is lost: so old may a look at the changes be. */
const FRESH_MS = 900;
const LOOK_EVERY_MS = 300;
const PURGE_EVERY_MS = 10 * 60 * 1000;
/** After so long a pause changes may have been purged unseen. */
const TOO_LONG_MS = 30 * 60 * 1000;

/**
 * Looks at the changes of access every 300 ms, one small query whatever the number of applications, and forgets what has
 * changed. While the database does not answer, nothing is decided from memory.
 */
export class FreshChanges {
  readonly #platform: Platform;
  readonly #log: AccessChangeLog;
  readonly #forget: (applicationId: string) => void;
  readonly #forgetAll: () => void;
  readonly #timers: NodeJS.Timeout[];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(platform: Platform, forget: (applicationId: string) => void, forgetAll: () => void) {
    this.#platform = platform;
    this.#log = new AccessChangeLog(platform.database);
    this.#forget = forget;
    this.#forgetAll = forgetAll;
    const quietly = (work: Promise<unknown>): void => {
      work.catch((error: unknown) => platform.log.warn({ err: error }, 'could not look for changes of access'));
    };
    this.#timers = [
      setInterval(() => quietly(this.#joinLook()), LOOK_EVERY_MS).unref(),
      setInterval(() => quietly(this.#log.purge(platform.now())), PURGE_EVERY_MS).unref(),
    ];
  }

  areFresh(now: number): boolean {
    return now - this.#lookedAt < FRESH_MS;
  }

  /** Resolves when what has changed until `asked` is forgotten, but for what is young enough. */
  async lookFor(asked: number): Promise<void> {
    await this.#joinLook();
    // The one that was under way may have begun long before.
    if (!this.areFresh(asked)) await this.#joinLook();
  }

  /** Looks now, or waits for the look that is being taken. */
  #joinLook(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const began = this.#platform.now();
    const changed = await this.#log.read();
    if (began - this.#lookedAt > TOO_LONG_MS) this.#forgetAll();
    for (const id of new Set(changed)) this.#forget(id);
    this.#lookedAt = began;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
