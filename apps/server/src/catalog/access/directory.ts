import { onAccessChanged } from '../../people/authorization/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { AccessChangePoller } from './change-poller.ts';
import { loadAccessKey, loadApplication } from './load.ts';
import { LoadingCache } from './loading-cache.ts';
import type { AccessKeyEntry, ApplicationAccess } from './subscriber.ts';

/** Access keys cached, and as many applications. Beyond it the least recently used ones are evicted. */
const CACHED = 100_000;

/**
 * Access keys and applications with their subscriptions, from a cache. An entry is dropped when a notification or the
 * poller reports its change. So a right that is taken away ends within a second. One directory serves the whole
 * process.
 */
export class AccessDirectory {
  readonly #platform: Platform;
  readonly #accessKeys: LoadingCache<AccessKeyEntry | null>;
  readonly #applications: LoadingCache<ApplicationAccess | null>;
  readonly #changes: AccessChangePoller;
  readonly #unsubscribe: () => void;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#accessKeys = new LoadingCache((id) => loadAccessKey(platform, id), CACHED);
    this.#applications = new LoadingCache((id) => loadApplication(platform, id), CACHED);
    const drop = (applicationId: string | null): void => this.#drop(applicationId);
    this.#changes = new AccessChangePoller(platform, drop);
    this.#unsubscribe = onAccessChanged(platform.database, drop);
  }

  /** Null when there is no such key, or its owner is blocked. */
  async accessKey(accessKeyId: string): Promise<AccessKeyEntry | null> {
    await this.#changes.requireRecent(this.#platform.now());
    return this.#accessKeys.get(accessKeyId);
  }

  /** Null when there is no such application, or its owner is blocked. */
  async application(id: string): Promise<ApplicationAccess | null> {
    await this.#changes.requireRecent(this.#platform.now());
    return this.#applications.get(id);
  }

  /** Reads the application from the database: another process may have granted a right a moment ago. */
  async reload(id: string): Promise<ApplicationAccess | null> {
    this.#applications.delete(id);
    return this.application(id);
  }

  close(): void {
    this.#unsubscribe();
    this.#changes.close();
  }

  /**
   * Drops an application, or all of them for null. Access keys are cheap to load, so all of them are dropped either
   * way.
   */
  #drop(applicationId: string | null): void {
    this.#accessKeys.clear();
    if (applicationId === null) this.#applications.clear();
    else this.#applications.delete(applicationId);
  }
}
