import { setTimeout as pause } from 'node:timers/promises';
import { isAmong, type Database } from '../../../foundation/storage/index.ts';

/** Milliseconds between two looks at the instances that are waited for. */
const LOOK_MS = 500;

interface Waiter {
  readonly id: string;
  readonly revision: number;
  readonly resolve: () => void;
}

/** Waits for instances to change: one query for all waiters of this process, however many there are. */
export class InstanceWatch {
  readonly #database: Database;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the instance has another revision than this one, when it is gone, or when `signal` aborts. */
  async changed(id: string, revision: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    const resolve = (): void => done();
    const waiter = { id, revision, resolve };
    this.#waiters.add(waiter);
    signal.addEventListener('abort', resolve, { once: true });
    if (!this.#isLooking) void this.#look();
    await promise;
    signal.removeEventListener('abort', resolve);
    this.#waiters.delete(waiter);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    for (; this.#waiters.size > 0; await pause(LOOK_MS, undefined, { ref: false })) {
      try {
        const revisions = await this.#revisions();
        for (const { id, revision, resolve } of this.#waiters) if (revisions.get(id) !== revision) resolve();
      } catch {
        // The database is away for a while. Each waiter ends in its time.
      }
    }
    this.#isLooking = false;
  }

  async #revisions(): Promise<ReadonlyMap<string, number>> {
    const ids = [...new Set([...this.#waiters].map(({ id }) => id))];
    const rows = await this.#database.read
      .selectFrom('workflow_instances')
      .select(['id', 'revision'])
      .where(isAmong(this.#database.read, 'id', ids))
      .execute();
    // A waiter that came during the query is looked at the next time.
    const found = new Map(rows.map(({ id, revision }) => [id, revision]));
    for (const { id, revision } of this.#waiters) if (!found.has(id) && !ids.includes(id)) found.set(id, revision);
    return found;
  }
}
