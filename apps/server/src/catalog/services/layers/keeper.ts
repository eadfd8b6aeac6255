import type { Runtime } from '@kethub/runtime';
import type { LayerOnDisk, LayerStore } from '@kethub/runtime/build';
import type { Platform } from '../../../foundation/platform.ts';
import { isAmong } from '../../../foundation/storage/index.ts';
import { requireWorkerId } from '../../../foundation/workers/index.ts';

export const LAYERS_WANTED = 'layers-wanted';

/** Milliseconds between two rounds. */
const LOOK_MS = 60_000;
/** Milliseconds for which a layer stays after a build has used it. Its version may not be stored earlier. */
const TAKEN_MS = 15 * 60_000;

/**
 * Manages the layers of one worker. It records them in the database and purges or rebuilds them for administrators.
 * Once all of them take more than `KETHUB_LAYERS_MB`, it removes those that no version needs, the longest unused first.
 */
export class LayerKeeper {
  readonly #platform: Platform;
  readonly #store: LayerStore;
  readonly #runtime: Pick<Runtime, 'renewRoot'>;
  readonly #workerId: string;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;

  constructor(platform: Platform, store: LayerStore, runtime: Pick<Runtime, 'renewRoot'>) {
    this.#runtime = runtime;
    this.#platform = platform;
    this.#store = store;
    this.#workerId = requireWorkerId(platform);
  }

  start(): void {
    this.#unlisten = this.#platform.database.listen(LAYERS_WANTED, () => this.#wake());
    this.#timer = setInterval(() => this.#wake(), LOOK_MS);
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unlisten?.();
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
  }

  #wake(): void {
    this.#again = true;
    this.#looking ??= this.#work().finally(() => {
      this.#looking = null;
    });
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.look();
      } catch (error) {
        this.#platform.log.warn({ err: error }, 'could not look after the layers of installed packages');
      }
    }
  }

  /** Runs one round; public for tests. */
  async look(): Promise<void> {
    for (const { layer, wanted } of await this.#wanted()) await this.#do(layer, wanted);
    const layers = await this.#store.list();
    const needed = await this.#needed(layers);
    await this.#record(layers, needed);
    await this.#keepWithin(layers, needed);
    await this.#store.removePurged(await this.#oldestUse());
  }

  async #wanted() {
    return this.#platform.database.read
      .selectFrom('layers')
      .select(['layer', 'wanted'])
      .where('worker_id', '=', this.#workerId)
      .where('wanted', 'is not', null)
      .execute();
  }

  async #do(layer: string, wanted: 'PURGE' | 'REBUILD' | null): Promise<void> {
    let problem: string | null = null;
    if (wanted === 'PURGE') await this.#store.purge(layer, this.#platform.now());
    else problem = await this.#store.rebuild(layer, this.#platform.now());
    // Warm processes with the old files of the layer end, so that no execution begins with them.
    await this.#runtime.renewRoot();
    this.#platform.log.info({ layer, wanted, problem }, 'a layer was purged or rebuilt for an administrator');
    await this.#platform.database.write((transaction) =>
      transaction
        .updateTable('layers')
        .set({ wanted: null, problem })
        .where('worker_id', '=', this.#workerId)
        .where('layer', '=', layer)
        .where('wanted', '=', wanted)
        .execute(),
    );
  }

  async #needed(layers: readonly LayerOnDisk[]): Promise<ReadonlySet<string>> {
    const { read } = this.#platform.database;
    if (layers.length === 0) return new Set();
    const names = layers.map(({ layer }) => layer);
    const rows = await read
      .selectFrom('service_versions')
      .select('layer')
      .distinct()
      .where('layer', 'is not', null)
      .where(isAmong(read, 'layer', names))
      .execute();
    return new Set(rows.flatMap(({ layer }) => layer ?? []));
  }

  async #record(layers: readonly LayerOnDisk[], needed: ReadonlySet<string>): Promise<void> {
    const now = this.#platform.now();
    await this.#platform.database.write(async (transaction) => {
      for (const { layer, python, platform, packages, bytes, touchedAt } of layers) {
        const used = needed.has(layer) ? { used_at: now } : {};
        await transaction
          .insertInto('layers')
          .values({
            worker_id: this.#workerId,
            layer,
            python,
            platform,
            packages: JSON.stringify(packages),
            bytes,
            created_at: Math.floor(touchedAt),
            used_at: Math.floor(touchedAt),
            wanted: null,
            problem: null,
            ...used,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['worker_id', 'layer'])
              .doUpdateSet({ bytes, packages: JSON.stringify(packages), ...used }),
          )
          .execute();
      }
      const there = layers.map(({ layer }) => layer);
      const gone = transaction.deleteFrom('layers').where('worker_id', '=', this.#workerId);
      await (there.length === 0 ? gone : gone.where(({ not }) => not(isAmong(transaction, 'layer', there)))).execute();
    });
  }

  async #keepWithin(layers: readonly LayerOnDisk[], needed: ReadonlySet<string>): Promise<void> {
    const { database, now, configuration, log } = this.#platform;
    let bytes = layers.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes <= configuration.layerBytes) return;
    const rows = await database.read
      .selectFrom('layers')
      .select(['layer', 'used_at'])
      .where('worker_id', '=', this.#workerId)
      .execute();
    const usedAt = new Map(rows.map((row) => [row.layer, row.used_at]));
    const unused = layers
      .filter(({ layer, touchedAt }) => !needed.has(layer) && touchedAt < now() - TAKEN_MS)
      .toSorted((one, other) => (usedAt.get(one.layer) ?? 0) - (usedAt.get(other.layer) ?? 0));
    for (const one of unused) {
      if (bytes <= configuration.layerBytes) return;
      await this.#store.purge(one.layer, now());
      log.info({ layer: one.layer, bytes: one.bytes }, 'removed packages that no version needs');
      bytes -= one.bytes;
    }
    if (bytes > configuration.layerBytes)
      log.warn(
        { bytes, bound: configuration.layerBytes },
        'the packages that versions need take more than KETHUB_LAYERS_MB',
      );
  }

  /** Returns a moment in epoch milliseconds. No sandbox uses a layer that was purged before it. */
  async #oldestUse(): Promise<number> {
    const { oldest } = await this.#platform.database.read
      .selectFrom('executions')
      .select(({ fn }) => fn.min('started_at').as('oldest'))
      .where('worker_id', '=', this.#workerId)
      .where('status', '=', 'RUNNING')
      .executeTakeFirstOrThrow();
    // The inspection of a build uses a layer for a minute, and cancelled executions may have processes left.
    return Math.min(oldest ?? Number.POSITIVE_INFINITY, this.#platform.now() - TAKEN_MS);
  }
}
