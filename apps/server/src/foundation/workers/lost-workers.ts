import type { Platform } from '../platform.ts';

/** A domain's handler of work that was running on a lost worker. Repeatable. */
type OnLost = (platform: Platform, workerId: string) => Promise<void>;

/** Looks at the workers in a lease. */
const LOOKS_PER_LEASE = 10;
/** Most milliseconds between two looks, for few workers. */
const LONGEST_MS = 10_000;
/** Looks in a lease of one of many workers. Each reads all of them, and other processes look as often as among few. */
const LEAST_LOOKS = 4;

interface Observation {
  readonly beats: number;
  /** Monotonic time in milliseconds at which this number of beats was first seen. */
  readonly since: number;
}

/**
 * Finds workers without a heartbeat for a whole lease. This process measures the lease on its own monotonic clock,
 * because clocks of machines differ. After an outage of the database all workers have been silent. So leases begin
 * anew when this process starts, and when a look fails or is late.
 */
export class LostWorkers {
  readonly #platform: Platform;
  readonly #handlers: readonly OnLost[];
  readonly #everyMs: number;
  readonly #longestMs: number;
  readonly #observed = new Map<string, Observation>();
  #lastLook = performance.now();
  #end: (() => void) | null = null;
  #looking: Promise<void> | null = null;

  constructor(platform: Platform, handlers: readonly OnLost[]) {
    this.#platform = platform;
    this.#handlers = handlers;
    const { workerLeaseMs } = platform.configuration;
    this.#everyMs = Math.min(workerLeaseMs / LOOKS_PER_LEASE, LONGEST_MS);
    this.#longestMs = workerLeaseMs / LEAST_LOOKS;
  }

  start(): void {
    const look = (): void => {
      this.#looking ??= this.#look()
        .catch((error: unknown) => {
          this.#observed.clear();
          this.#platform.log.warn({ err: error }, 'could not look after the workers');
        })
        .finally(() => {
          this.#looking = null;
        });
    };
    this.#end = this.#platform.pace.every(this.#everyMs, look, this.#longestMs);
  }

  async stop(): Promise<void> {
    this.#end?.();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const began = performance.now();
    const workers = await this.#platform.database.read
      .selectFrom('workers')
      .select(['id', 'beats'])
      .where('lost_at', 'is', null)
      .execute();
    const now = performance.now();
    // A late look: this process was paused (a machine that slept), or the database was slow.
    const everyMs = this.#platform.pace.longestMs(this.#everyMs, this.#longestMs);
    const gap = now - Math.min(began, this.#lastLook + everyMs);
    if (gap > this.#platform.configuration.workerLeaseMs / 2) this.#observed.clear();
    this.#lastLook = now;
    for (const { id, beats } of workers) {
      const known = this.#observed.get(id);
      if (!known || known.beats !== beats) this.#observed.set(id, { beats, since: now });
      else if (now - known.since > this.#platform.configuration.workerLeaseMs) await this.#giveUp(id, beats);
    }
    const there = new Set(workers.map(({ id }) => id));
    for (const id of this.#observed.keys()) if (!there.has(id)) this.#observed.delete(id);
  }

  async #giveUp(id: string, beats: number): Promise<void> {
    this.#platform.log.error({ worker: id }, 'a worker was lost: nothing was heard from it for the whole lease');
    for (const handle of this.#handlers) await handle(this.#platform, id);
    await this.#platform.database.write((transaction) =>
      transaction
        .updateTable('workers')
        .set({ lost_at: this.#platform.now() })
        .where('id', '=', id)
        .where('beats', '=', beats)
        .execute(),
    );
    this.#observed.delete(id);
  }
}
