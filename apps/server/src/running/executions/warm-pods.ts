import type { Runtime } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { isAmong } from '../../foundation/storage/index.ts';

/** Milliseconds between two looks. */
const LOOK_MS = 60_000;

/** Ends the pods of a worker that wait for executions of a version that is gone, retired, or built anew. */
export class WarmPodKeeper {
  readonly #platform: Platform;
  readonly #runtime: Pick<Runtime, 'status' | 'endWarmPods'>;
  /** Builds of the versions whose pods waited at the last look. */
  #builds: ReadonlyMap<string, string> = new Map();

  constructor(platform: Platform, runtime: Pick<Runtime, 'status' | 'endWarmPods'>) {
    this.#platform = platform;
    this.#runtime = runtime;
  }

  /** Looks from time to time, until the returned function is called. */
  start(): () => void {
    return this.#platform.pace.every(LOOK_MS, () => {
      this.look().catch((error: unknown) => {
        this.#platform.log.warn({ err: error }, 'could not look after the pods that wait for executions');
      });
    });
  }

  async look(): Promise<void> {
    const { warmPods = [] } = await this.#runtime.status();
    const versions = [...new Set(warmPods.map(({ version }) => version))];
    const builds = await this.#buildsOf(versions);
    const ended = versions.filter(
      (id) => !builds.has(id) || (this.#builds.get(id) ?? builds.get(id)) !== builds.get(id),
    );
    this.#builds = builds;
    if (ended.length > 0) await this.#runtime.endWarmPods(ended);
  }

  async #buildsOf(versions: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (versions.length === 0) return new Map();
    const { read } = this.#platform.database;
    const rows = await read
      .selectFrom('service_versions')
      .select(['id', 'build_id'])
      .where(isAmong(read, 'id', versions))
      .where('code', 'is not', null)
      .where(({ or, eb }) => or([eb('sunset_at', 'is', null), eb('sunset_at', '>', this.#platform.now())]))
      .execute();
    return new Map(rows.map(({ id, build_id }) => [id, build_id]));
  }
}
