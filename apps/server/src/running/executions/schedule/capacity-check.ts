import { LRUCache } from 'lru-cache';
import type { RuntimeConfiguration } from '@kethub/contract';
import type { Platform } from '../../../foundation/platform.ts';
import { requireResources } from '../../../catalog/services/index.ts';

/** Milliseconds for which a version that fits is not checked again. A refusal is never cached. */
const TTL_MS = 10_000;
/** Versions cached. */
const CACHED = 10_000;

/** Refuses executions for which no machine is large enough: they would never start. */
export class CapacityCheck {
  readonly #platform: Platform;
  readonly #fits = new LRUCache<string, true>({ max: CACHED, ttl: TTL_MS });

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Throws resource-unavailable. */
  async require(serviceVersionId: string): Promise<void> {
    if (this.#fits.has(serviceVersionId)) return;
    const { read } = this.#platform.database;
    const version = await read
      .selectFrom('service_versions')
      .select(['state', 'configuration'])
      .where('id', '=', serviceVersionId)
      .executeTakeFirst();
    if (!version) return;
    const configuration = JSON.parse(version.configuration) as RuntimeConfiguration;
    await requireResources(read, configuration, this.#platform.configuration.scheduling);
    if (version.state !== 'DRAFT') this.#fits.set(serviceVersionId, true);
  }
}
