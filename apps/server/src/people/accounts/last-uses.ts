import type { Platform } from '../../foundation/platform.ts';
import type { AccessTokenRow } from '../../foundation/storage/index.ts';
import { noteUse } from './queries.ts';

/** Milliseconds between two writes. */
const WRITE_EVERY_MS = 30_000;

/**
 * Buffers the last uses of tokens and writes them outside of requests, at most every 30 s. The first use after a
 * pause is written at once, the following ones in a batch.
 */
export class LastUses {
  readonly #platform: Platform;
  /** Uses that are not being written yet, by token. */
  readonly #pending = new Map<string, number>();
  /** Uses that are being written. */
  #underWay: ReadonlyMap<string, number> = new Map();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Records a use of this token now. */
  touch(tokenId: string): void {
    this.#pending.set(tokenId, this.#platform.now());
    if (this.#timer) return;
    const wait = this.#writtenAt + WRITE_EVERY_MS - this.#platform.now();
    this.#timer = setTimeout(() => this.#write(), Math.max(0, wait)).unref();
  }

  /** The token with its last use as known to this process, written or not. */
  upToDate(token: AccessTokenRow): AccessTokenRow {
    const usedAt = this.#pending.get(token.id) ?? this.#underWay.get(token.id) ?? null;
    return usedAt === null ? token : { ...token, used_at: Math.max(usedAt, token.used_at ?? usedAt) };
  }

  /** Writes the buffered uses. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#timer = null;
    this.#writtenAt = this.#platform.now();
    this.#writing = this.#writing.then(() => this.#writePending());
  }

  async #writePending(): Promise<void> {
    // Sorted by id, so that two processes lock the rows in the same order.
    const uses = [...this.#pending].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (uses.length === 0) return;
    this.#underWay = new Map(uses);
    this.#pending.clear();
    try {
      await this.#platform.database.write(async (transaction) => {
        for (const [id, usedAt] of uses) await noteUse(transaction, id, usedAt);
      });
    } catch (error) {
      this.#platform.log.warn(
        { err: error },
        'last uses of access tokens could not be written; the next write includes them',
      );
      for (const [id, usedAt] of uses) if (!this.#pending.has(id)) this.#pending.set(id, usedAt);
    }
    this.#underWay = new Map();
  }
}
