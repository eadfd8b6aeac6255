import type { Platform } from '../../../foundation/platform.ts';
import type { Database, ServiceSourceRow } from '../../../foundation/storage/index.ts';
import { makeSourcesDue } from '../queries.ts';
import type { GitStore } from '../store.ts';
import { followSource } from './follow.ts';

/** Milliseconds between two looks for sources that are due. */
const ROUND_MS = 2_000;
/** Sources of one round. The others follow in the next one, which comes at once. */
const SOURCES_OF_ROUND = 100;
/** Milliseconds until the next look at a source that could not be followed. */
const FAILED_MS = 60_000;
/** Milliseconds, longer than any wait. A source due later than this was put off by a clock that has since been set back. */
const FAR_MS = 10 * 60_000;

/**
 * Follows the sources that are due, one at a time, the longest due first. A push makes them due in the transaction that
 * records it. A push that a kill has cut off from that is found at the start, when all are looked at once.
 */
export class SourceFollower {
  readonly #platform: Platform;
  readonly #store: GitStore;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<unknown> = Promise.resolve();
  #isFirst = true;
  #isStopped = false;

  constructor(platform: Platform, store: GitStore) {
    this.#platform = platform;
    this.#store = store;
  }

  start(milliseconds: number = ROUND_MS): void {
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound();
    }, milliseconds);
    this.#timer.unref();
  }

  async #runRound(): Promise<void> {
    let followed = 0;
    try {
      followed = await this.run();
    } catch (error) {
      if (!this.#isStopped)
        this.#platform.log.error({ err: error }, 'pushes could not be turned into versions of services');
    }
    if (!this.#isStopped) this.start(followed < SOURCES_OF_ROUND ? ROUND_MS : 0);
  }

  /** Follows the sources that are due. Returns their number. */
  async run(): Promise<number> {
    const { database, now } = this.#platform;
    if (this.#isFirst) await database.write((transaction) => makeSourcesDue(transaction, now()));
    this.#isFirst = false;
    const due = await dueSources(database, now());
    for (const source of due) {
      if (this.#isStopped) break;
      await this.#follow(source);
    }
    return due.length;
  }

  async #follow(source: ServiceSourceRow): Promise<void> {
    const { database, log, now } = this.#platform;
    // The end of the write makes it due again.
    let again: number | null = ROUND_MS;
    try {
      if (!this.#store.repositories.isWritten(source.implementation_id))
        again = await followSource(this.#platform, this.#store, source);
    } catch (error) {
      if (this.#isStopped) return;
      log.error({ err: error, service: source.service_id }, 'a push could not be turned into a version of a service');
      again = FAILED_MS;
    }
    await database.write((transaction) =>
      transaction
        .updateTable('service_sources')
        .set({ due_at: again === null ? null : now() + again })
        .where('service_id', '=', source.service_id)
        // A push came meanwhile.
        .where('due_at', '=', source.due_at)
        .execute(),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
  }
}

function dueSources({ read }: Database, now: number): Promise<ServiceSourceRow[]> {
  return read
    .selectFrom('service_sources')
    .selectAll()
    .where(({ or, eb }) => or([eb('due_at', '<=', now), eb('due_at', '>', now + FAR_MS)]))
    .orderBy('due_at')
    .limit(SOURCES_OF_ROUND)
    .execute();
}
