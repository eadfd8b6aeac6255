import type { Platform } from '../foundation/platform.ts';
import { buildDashboard } from './build.ts';
import { readDashboard, type DashboardFiles } from './files.ts';

/** The dashboard of a running platform: being built, ready, or not there because its build failed. */
export class Dashboard {
  files: DashboardFiles | null = null;
  isBuilding = true;
  readonly #end = new AbortController();
  readonly #opened: Promise<void>;

  private constructor(open: (signal: AbortSignal) => Promise<string>, issuer: string | null, log: Platform['log']) {
    const began = performance.now();
    this.#opened = open(this.#end.signal)
      .then((folder) => readDashboard(folder, issuer))
      .then(
        (files) => {
          this.files = files;
          log.info({ ms: Math.round(performance.now() - began) }, 'dashboard ready');
        },
        (error: unknown) => {
          if (!this.#end.signal.aborted)
            log.error({ err: error }, 'the dashboard could not be built; the platform runs without it');
        },
      )
      .finally(() => {
        this.isBuilding = false;
      });
  }

  /** Begins to open the dashboard and does not wait for it. null where the setting is `off`. */
  static open({ configuration: { dashboard, keycloak }, log }: Platform): Dashboard | null {
    if (dashboard === 'off') return null;
    const open = dashboard === 'auto' ? buildDashboard : () => Promise.resolve(dashboard.folder);
    return new Dashboard(open, keycloak?.issuer ?? null, log);
  }

  /** Resolves when the dashboard is ready or has failed. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  /** Ends a build that is under way. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#opened;
  }
}
