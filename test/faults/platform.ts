import { setTimeout as pause } from 'node:timers/promises';
import { KethubProcess, type Settings } from '@kethub/server/testing/child-process';

const ATTEMPTS = 100;

/** The processes of a platform, and their supervisor. */
export class Platform {
  readonly #processes: ReadonlyMap<string, KethubProcess>;

  /** @param ports where each process says whether it is ready, by its roles. One of `platform` has all of them. */
  constructor(settings: Settings, ports: Readonly<Record<string, number>>) {
    this.#processes = new Map(
      Object.entries(ports).map(([name, port]) => {
        const roles = name === 'platform' ? {} : { KETHUB_ROLES: name };
        return [name, new KethubProcess({ ...settings, ...roles }, port)];
      }),
    );
  }

  has(name: string): boolean {
    return this.#processes.has(name);
  }

  /** The number of one process, in a list; none when there is no such process. */
  pids(name: string): readonly number[] {
    const process = this.#processes.get(name);
    return process ? [process.pid] : [];
  }

  /** Kills one process. It is started again until it is ready. */
  async kill(name: string): Promise<void> {
    const process = this.#processes.get(name);
    if (!process) throw new Error(`No process ${name}`);
    await process.end('SIGKILL');
    await bringUp(process);
  }

  /** Waits until all are ready. Rejects when one has given up. */
  async ready(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.ready()));
  }

  /** Waits until all are ready. One that has given up is started again. */
  async recover(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.ready().catch(() => bringUp(one))));
  }

  /** Ends all, as an operator does. They are started again by {@link bringUp}. */
  async end(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.end()));
  }

  async bringUp(): Promise<void> {
    await Promise.all(this.#all().map(bringUp));
  }

  /** The end of the standard error of each. */
  errors(): string {
    return [...this.#processes].map(([name, { errors }]) => `${name}: ${errors.slice(-8_000)}`).join('\n');
  }

  #all(): readonly KethubProcess[] {
    return [...this.#processes.values()];
  }
}

async function bringUp(process: KethubProcess): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await process.restart();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause(100);
    }
  }
}
