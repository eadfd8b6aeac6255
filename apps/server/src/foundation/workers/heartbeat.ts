import os from 'node:os';
import { sql } from 'kysely';
import type { Platform } from '../platform.ts';
import { isAlone } from '../process/index.ts';
import { machineOf, type Capacity } from './capacity.ts';
import type { ContainerWatch } from './containers.ts';

/** Heartbeats in a lease, so that some may be late or lost. */
const BEATS_PER_LEASE = 6;
/** Most milliseconds between two heartbeats. */
const LONGEST_MS = 10_000;

/** The heartbeat of a worker: a counter in the database that grows. */
export class Heartbeat {
  readonly #platform: Platform;
  readonly #workerId: string;
  readonly #capacity: Capacity;
  readonly #containers: ContainerWatch;
  readonly #machine: string;
  readonly #everyMs: number;
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(platform: Platform, workerId: string, capacity: Capacity, containers: ContainerWatch) {
    this.#platform = platform;
    this.#capacity = capacity;
    this.#containers = containers;
    this.#workerId = workerId;
    this.#machine = machineOf(platform.configuration.capacity).id;
    this.#everyMs = Math.min(platform.configuration.workerLeaseMs / BEATS_PER_LEASE, LONGEST_MS);
  }

  /** Resolves after the first heartbeat. */
  async start(): Promise<void> {
    await this.#containers.look();
    await this.#beat();
    this.#timer = setInterval(() => {
      // Not awaited: an engine that does not answer must not delay the heartbeat.
      void this.#containers.look();
      this.#beat().catch((error: unknown) => this.#platform.log.warn({ err: error }, 'could not give a sign of life'));
    }, this.#everyMs);
  }

  /**
   * To be awaited before the worker claims work. A worker that was paused, and declared lost meanwhile, is alive
   * again in the database before it is responsible for anything.
   */
  async ensureAlive(): Promise<void> {
    if (performance.now() - this.#last > 2 * this.#everyMs) await this.#beat();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    const began = performance.now();
    const seen_at = this.#platform.now();
    const { cpus, memoryBytes, gpus } = this.#capacity;
    const reported = {
      host: os.hostname(),
      machine: this.#machine,
      seen_at,
      lost_at: null,
      containers: this.#containers.usable ? 1 : 0,
      cpus,
      memory_bytes: Math.floor(memoryBytes),
      gpus: JSON.stringify(gpus),
    };
    const { workers, older } = await this.#platform.database.write((transaction) =>
      transaction
        .insertInto('workers')
        .values({ id: this.#workerId, beats: 1, ...reported })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ beats: sql<number>`workers.beats + 1`, ...reported }),
        )
        .returning([
          sql<string | number>`(select count(*) from workers where lost_at is null)`.as('workers'),
          // Ids are in the order of creation.
          sql<string | number>`(select count(*) from workers where lost_at is null and id < ${this.#workerId})`.as(
            'older',
          ),
        ])
        .executeTakeFirstOrThrow(),
    );
    const { pace, database, configuration } = this.#platform;
    pace.workers = Number(workers);
    pace.older = Number(older);
    // The other roles answer callers, who wait for what they are notified of.
    if (isAlone(configuration.roles)) database.setListening?.(pace.listens);
    this.#last = began;
  }
}
