import { messageOf } from '../errors.ts';
import { discard } from './discard.ts';
import type { RunnerContext } from './context.ts';
import { ServiceSandbox } from './service-sandbox.ts';

/** Sandboxes that wait. A cold start that finds none starts its own. */
const SIZE = 2;

/**
 * Sandboxes without a service, for cold starts. They are started and in their cgroups, which takes 3 and 8 to 24 ms,
 * and wait for their layout. Measured on quiet cores: a cold start took 29 ms without them and takes 19 ms with them.
 */
export class PrestartedSandboxes {
  readonly #context: RunnerContext;
  readonly #waiting = new Map<ServiceSandbox, string>();
  /**
   * The file limit of waiting sandboxes, which holds from their start. It is the same for nearly all executions of an
   * installation.
   */
  #fileBytes: number | null = null;
  #closed = false;

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  /** Takes a sandbox and settles it in the folder of an execution, which it makes. Null when none waits. */
  take(folder: string, fileBytes: number): ServiceSandbox | null {
    if (fileBytes !== this.#fileBytes) this.#renew(fileBytes);
    for (const service of this.#waiting.keys()) {
      this.#waiting.delete(service);
      setImmediate(() => {
        this.fill();
      });
      try {
        service.settleIn(folder);
      } catch (error) {
        service.end();
        throw error;
      }
      return service;
    }
    return null;
  }

  fill(): void {
    // Without cgroups the limits are part of the command, and there is no cgroup to wait for.
    while (!this.#closed && this.#context.cgroups !== null && this.#waiting.size < SIZE) {
      if (this.#fileBytes === null) return;
      try {
        this.#add(this.#fileBytes);
      } catch (error) {
        console.error(`no sandbox in stock: ${messageOf(error)}`);
        return;
      }
    }
  }

  async clear(): Promise<void> {
    this.#closed = true;
    const all = [...this.#waiting.keys()];
    for (const service of all) service.end();
    await Promise.all(all.map(async (service) => service.sandbox.ended));
  }

  /** Replaces the waiting sandboxes when the file limit changes. The next execution starts without them. */
  #renew(fileBytes: number): void {
    this.#fileBytes = fileBytes;
    for (const service of this.#waiting.keys()) service.end();
    this.#waiting.clear();
    setImmediate(() => {
      this.fill();
    });
  }

  #add(fileBytes: number): void {
    const folder = this.#context.workFolders.make();
    const service = new ServiceSandbox(this.#context, folder, { fileBytes }, null);
    this.#waiting.set(service, folder);
    void service.sandbox.ended.then(() => {
      if (this.#waiting.delete(service)) discard(folder);
    });
  }
}
