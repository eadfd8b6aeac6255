import type { Platform } from '../platform.ts';
import { noteUse } from './queries.ts';

const WRITE_EVERY_MS = 30_000;

/**
 * Remembers when tokens were last used and writes that down off the path of the requests, at most every 30 s: the first
 * use after a pause at once, the following ones together.
 */
export class LastUses {
  readonly #platform: Platform;
  readonly #pending = new Map<string, number>();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Notes a use of this token now. */
  touch(tokenId: string): void {
    this.#pending.set(tokenId, this.#platform.now());
    if (this.#timer) return;
    const wait = this.#writtenAt + WRITE_EVERY_MS - this.#platform.now();
    this.#timer = setTimeout(
      () => {
        this.#writing = this.#write();
      },
      Math.max(0, wait),
    ).unref();
  }

  /** Writes down what is pending. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    this.#timer = null;
    this.#writtenAt = this.#platform.now();
    // In the order of ids, so that two processes lock the rows in the same order.
    const uses = [...this.#pending].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#pending.clear();
    if (uses.length === 0) return;
    try {
      await this.#platform.database.write(async (transaction) => {
        for (const [id, usedAt] of uses) await noteUse(transaction, id, usedAt);
      });
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'last uses of access tokens could not be written; they go with the next');
      for (const [id, usedAt] of uses) if (!this.#pending.has(id)) this.#pending.set(id, usedAt);
    }
  }
}
