import { checkContainers } from '@kethub/runtime';
import type { Platform } from '../platform.ts';
import type { Queries } from '../storage/index.ts';

/**
 * Checks again and again whether this worker can run containers: engines start later than platforms, and are
 * restarted.
 */
export class ContainerWatch {
  readonly #platform: Platform;
  #usable = false;
  #wasUsable = false;
  #reported: string | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Result of the last check. */
  get usable(): boolean {
    return this.#usable;
  }

  /** A sentence about an engine that was found once, and that does not answer now; null otherwise. */
  get problem(): string | null {
    return this.#wasUsable && !this.#usable ? `The container engine is gone. ${this.#reported ?? ''}` : null;
  }

  async look(): Promise<boolean> {
    const { configuration, log } = this.#platform;
    // Images run in the cluster, which has no engine to look at.
    if ((configuration.kubernetes?.registry ?? null) !== null) {
      this.#usable = true;
      return true;
    }
    if (configuration.containers === null) return false;
    const check = await checkContainers(configuration.containers.socketPath);
    const report = check.usable ? check.how : `${check.reason} ${check.remedy}`;
    if (report !== this.#reported) log[check.usable ? 'info' : 'warn']({ detail: report }, 'containers');
    this.#reported = report;
    this.#usable = check.usable;
    this.#wasUsable ||= check.usable;
    return check.usable;
  }
}

/** Returns whether a worker that is not lost can run containers. */
export async function someWorkerRunsContainers(queries: Queries): Promise<boolean> {
  const worker = await queries
    .selectFrom('workers')
    .select('id')
    .where('containers', '=', 1)
    .where('lost_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return worker !== undefined;
}
