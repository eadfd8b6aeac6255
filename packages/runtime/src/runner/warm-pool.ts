import { messageOf } from '../errors.ts';
import type { Settings } from '../protocol/messages.ts';
import { discard } from './discard.ts';
import type { RunnerContext } from './context.ts';
import { importable } from './importable.ts';
import { ServiceSandbox, type ServiceSpec } from './service-sandbox.ts';

/** Until it is known what a worker of some code needs: Python with a small library. */
const FIRST_GUESS_BYTES = 24 * 1024 * 1024;
const LOOK_MS = 2_000;
/** Longest time for the imports of a worker. Beyond it, each execution imports by itself, within its own run time. */
const WARM_UP_MS = 30_000;
/** Code whose workers end before they get a job (an import that crashes) is started cold for a while. */
const GIVE_UP_AFTER = 3;
const GIVE_UP_MS = 300_000;
const MOST_REMEMBERED = 1_000;

interface Idle {
  key: string;
  spec: ServiceSpec;
  service: ServiceSandbox;
  since: number;
  /** Ends what limits it while it waits. */
  unwatch(): void;
}

/**
 * Workers that have imported what their service needs and wait for one job. Each is a complete sandbox of its own, serves
 * one execution and ends: nothing of an execution is left for the next. It only takes away the wait: 8 ms of sandbox,
 * 20 ms of Python and 90 ms or more of imports like numpy.
 *
 * Modules of distributions run before anybody has asked for it. So the limits of an execution hold for a worker too, its
 * imports have a deadline, and it is frozen from their end until its job comes.
 */
export class WarmPool {
  readonly #context: RunnerContext;
  readonly #settings: () => Settings;
  /** Longest idle first. */
  readonly #idle = new Set<Idle>();
  readonly #taken = new Set<ServiceSandbox>();
  /** Memory that a worker of this code was seen to hold. */
  readonly #seenBytes = new Map<string, number>();
  /** Modules that workers import before their job comes. */
  readonly #imports = new Map<string, readonly string[]>();
  readonly #failures = new Map<string, { count: number; last: number }>();
  readonly #look: NodeJS.Timeout;
  #closed = false;

  constructor(context: RunnerContext, settings: () => Settings) {
    this.#context = context;
    this.#settings = settings;
    this.#look = setInterval(() => {
      this.#endSurplus();
    }, LOOK_MS).unref();
  }

  /** A worker that fits, or null. It is the caller's from now on. */
  take(spec: ServiceSpec): ServiceSandbox | null {
    const key = keyOf(spec);
    for (const idle of this.#idle) {
      if (idle.key !== key) continue;
      this.#remove(idle);
      this.#taken.add(idle.service);
      return idle.service;
    }
    return null;
  }

  /** Sees to it that workers for this code wait, as far as the memory goes; those unused for the longest time make room. */
  want(spec: ServiceSpec): void {
    const { warmPerCode, warmBytes } = this.#settings();
    const key = keyOf(spec);
    while (!this.#closed && this.#count(key) < warmPerCode && !this.#givenUp(key)) {
      const needed = this.#seenBytes.get(key) ?? FIRST_GUESS_BYTES;
      if (needed > warmBytes) return;
      this.#makeRoom(warmBytes - needed, key);
      if (this.#bytes() + needed > warmBytes) return;
      try {
        this.#add(key, spec);
      } catch (error) {
        this.#failed(key);
        console.error(`no warm worker for ${spec.code.sourceDir}: ${messageOf(error)}`);
      }
    }
  }

  /** A worker of this code ended before it had read its job. */
  blame(spec: ServiceSpec): void {
    this.#failed(keyOf(spec));
  }

  list(): { sourceDir: string; pid: number; bytes: number }[] {
    return [...this.#idle].map(({ spec, service }) => ({
      sourceDir: spec.code.sourceDir,
      pid: service.sandbox.pid,
      bytes: service.sandbox.memoryBytes() ?? 0,
    }));
  }

  /** Ends all workers, and lets none come any more when `forGood`. */
  async clear(forGood: boolean): Promise<void> {
    this.#closed = forGood;
    this.#imports.clear();
    if (forGood) clearInterval(this.#look);
    const all = [...this.#idle];
    for (const idle of all) this.#end(idle);
    await Promise.all(all.map(async ({ service }) => service.sandbox.ended));
  }

  #add(key: string, spec: ServiceSpec): void {
    const folder = this.#context.workFolders.make();
    const imports = this.#importsOf(key, spec);
    const service = new ServiceSandbox(this.#context, folder, spec.limits, imports);
    try {
      service.begin(spec, { warm: true, dataPools: [] });
    } catch (error) {
      service.end();
      throw error;
    }
    const idle: Idle = { key, spec, service, since: performance.now(), unwatch: () => undefined };
    idle.unwatch = this.#watch(idle);
    this.#idle.add(idle);
    void service.sandbox.ended.then(() => {
      if (this.#taken.delete(service)) return; // its folder is the execution's to keep
      if (this.#idle.has(idle)) {
        this.#remove(idle);
        this.#failed(key);
      }
      discard(folder);
    });
  }

  /** Code never changes, and the root does only when all workers are ended. */
  #importsOf(key: string, { code }: ServiceSpec): readonly string[] {
    const known = this.#imports.get(key);
    if (known !== undefined) return known;
    if (this.#imports.size >= MOST_REMEMBERED) this.#imports.clear();
    const imports = importable(code, this.#context.pythonMounts(code.python).standard);
    this.#imports.set(key, imports);
    return imports;
  }

  /** @returns what ends the watching. */
  #watch(idle: Idle): () => void {
    const { service, spec, key } = idle;
    const fail = (why: string): void => {
      console.error(`a warm worker for ${spec.code.sourceDir} is ended: ${why}`);
      this.#failed(key);
      this.#end(idle);
    };
    const deadline = setTimeout(
      () => {
        fail('its imports take too long');
      },
      Math.min(WARM_UP_MS, spec.limits.runTimeMs),
    ).unref();
    const stopGuard = this.#context.guards.guard({
      dir: service.output,
      limits: spec.limits,
      processes: () => service.sandbox.processes(),
      exceeded: (why) => {
        fail(why === 'DISK' ? 'the disk is nearly full' : 'its imports write too much');
      },
    });
    service.sandbox.onReady(() => {
      if (!this.#idle.has(idle)) return; // it has its job
      clearTimeout(deadline);
      service.sandbox.freeze();
    });
    return () => {
      clearTimeout(deadline);
      stopGuard();
    };
  }

  #remove(idle: Idle): void {
    idle.unwatch();
    this.#remember(idle);
    this.#idle.delete(idle);
  }

  #end(idle: Idle): void {
    this.#remove(idle);
    idle.service.end();
  }

  /** Without the wish for it: idle for too long, or grown beyond the budget while importing. */
  #endSurplus(): void {
    const { warmIdleMs, warmBytes } = this.#settings();
    const oldest = performance.now() - warmIdleMs;
    for (const idle of this.#idle) {
      if (idle.since <= oldest) this.#end(idle);
      else this.#remember(idle);
    }
    this.#makeRoom(warmBytes, null);
  }

  #makeRoom(bytes: number, exceptKey: string | null): void {
    for (const idle of this.#idle) {
      if (this.#bytes() <= bytes) return;
      if (idle.key !== exceptKey) this.#end(idle);
    }
  }

  #bytes(): number {
    let sum = 0;
    for (const { key, service } of this.#idle) {
      sum += Math.max(service.sandbox.memoryBytes() ?? 0, this.#seenBytes.get(key) ?? FIRST_GUESS_BYTES);
    }
    return sum;
  }

  #count(key: string): number {
    return [...this.#idle].filter((idle) => idle.key === key).length;
  }

  #remember({ key, service }: Idle): void {
    if (this.#seenBytes.size >= MOST_REMEMBERED) this.#seenBytes.clear();
    const bytes = service.sandbox.memoryBytes() ?? 0;
    if (bytes > 0) this.#seenBytes.set(key, bytes);
  }

  #failed(key: string): void {
    if (this.#failures.size >= MOST_REMEMBERED) this.#failures.clear();
    this.#failures.set(key, { count: (this.#failures.get(key)?.count ?? 0) + 1, last: performance.now() });
  }

  #givenUp(key: string): boolean {
    const failures = this.#failures.get(key);
    if (failures === undefined || failures.count < GIVE_UP_AFTER) return false;
    if (performance.now() - failures.last < GIVE_UP_MS) return true;
    this.#failures.delete(key);
    return false;
  }
}

/** Limits that hold from the first instruction, and the environment that imports may read, must be the same. */
function keyOf({ code, environment, hosts, limits }: ServiceSpec): string {
  const { memoryBytes, cpus, processes, tmpBytes } = limits;
  const variables = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    code.sourceDir,
    code.layerDir,
    code.python,
    code.imports,
    variables,
    hosts,
    limits.fileBytes,
    memoryBytes,
    cpus,
    processes,
    tmpBytes,
  ]);
}
