import type { RuntimeConfiguration } from '@kethub/contract';
import type { Platform } from '../../../foundation/platform.ts';
import { requireResources } from '../../../catalog/services/index.ts';

/** For so long it is not asked again whether a version fits. Nobody is refused from memory. */
const REMEMBERED_MS = 10_000;
const REMEMBERED = 10_000;

/** Refuses executions for which no machine is large enough: they would wait for ever. */
export class Fitting {
  readonly #platform: Platform;
  readonly #fits = new Map<string, number>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Throws resource-unavailable. */
  async require(serviceVersionId: string): Promise<void> {
    const until = this.#fits.get(serviceVersionId);
    if (until !== undefined && until > performance.now()) return;
    const { read } = this.#platform.database;
    const version = await read
      .selectFrom('service_versions')
      .select(['state', 'configuration'])
      .where('id', '=', serviceVersionId)
      .executeTakeFirst();
    if (!version) return;
    const configuration = JSON.parse(version.configuration) as RuntimeConfiguration;
    await requireResources(read, configuration, this.#platform.configuration.turns);
    if (this.#fits.size >= REMEMBERED) this.#fits.clear();
    if (version.state !== 'DRAFT') this.#fits.set(serviceVersionId, performance.now() + REMEMBERED_MS);
  }
}
