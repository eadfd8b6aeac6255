import { messageOf } from '../errors.ts';
import type { Settings } from '../protocol/messages.ts';
import { discard } from './discard.ts';
import type { RunnerContext } from './context.ts';
import { importable } from './importable.ts';
import { ServiceSandbox, type ServiceSpec } from './service-sandbox.ts';

/** Bytes. Assumed for a worker whose memory was never measured: Python with a small library. */
const FIRST_GUESS_BYTES = 24 * 1024 * 1024;
/** Milliseconds between two checks for idle or grown workers. */
const LOOK_MS = 2_000;
/** Longest time for the imports of a worker, in milliseconds. Beyond it the worker is ended. */
const WARM_UP_MS = 30_000;
/**
 * Workers of one code that ended before they got a job (an import that crashes). From this many on, the pool makes none
 * for it.
 */
const GIVE_UP_AFTER = 3;
/** Milliseconds since the last of these failures. After them the pool tries again. */
const GIVE_UP_MS = 300_000;
/** Entries of each map below. A map that is full is emptied. */
const MOST_REMEMBERED = 1_000;

interface Idle {
  key: string;
  spec: ServiceSpec;
  service: ServiceSandbox;
  since: number;
  /** Stops the checks that limit the worker while it waits. */
  unwatch(): void;
}

/**
 * Workers that have imported what their service needs and wait for one job. A worker is a complete sandbox: it serves
 * one execution and ends, so nothing of an execution is left for the next. The pool saves only the wait: 8 ms for the
 * sandbox, 20 ms for Python, and 90 ms or more for imports like numpy.
 *
 * Modules of distributions run here before anybody has called the service. So the limits of an execution hold for a
 * worker too, and its imports have a deadline. It is frozen from their end until its job comes.
 */
export class WarmPool {
  readonly #context: RunnerContext;
  readonly #settings: () => Settings;
  /** Longest idle first. */
  readonly #idle = new Set<Idle>();
  readonly #taken = new Set<ServiceSandbox>();
  /** Memory that workers of each code were last seen to use. */
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

  /** Takes a worker that fits out of the pool, or returns null. From then on the caller owns it. */
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

  /**
   * Fills the pool with workers for this code as far as the memory allows. Workers that are idle for longest make room.
   */
  want(spec: ServiceSpec): void {
    const { warmPerCode, warmBytes } = this.#settings();
    const key = keyOf(spec);
    while (!this.#closed && this.#count(key) < warmPerCode && !this.#givenUp(key)) {
      const needed = this.#seenBytes.get(key) ?? FIRST_GUESS_BYTES;
      if (needed > warmBytes) return;
      this.#evict(warmBytes - needed, key);
      if (this.#bytes() + needed > warmBytes) return;
      try {
        this.#add(key, spec);
      } catch (error) {
        this.#failed(key);
        console.error(`no warm worker for ${spec.code.sourceDir}: ${messageOf(error)}`);
      }
    }
  }

  /** Reports that a worker of this code ended before it had read its job. */
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

  /** Ends all workers. With `forGood` the pool makes no more. */
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

  /** Finds the modules once per code: code never changes, and the root changes only when all workers have ended. */
  #importsOf(key: string, { code }: ServiceSpec): readonly string[] {
    const known = this.#imports.get(key);
    if (known !== undefined) return known;
    if (this.#imports.size >= MOST_REMEMBERED) this.#imports.clear();
    const imports = importable(code, this.#context.pythonMounts(code.python).standard);
    this.#imports.set(key, imports);
    return imports;
  }

  /** @returns a function that stops the checks. */
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

  /**
   * Ends workers that nobody wants any more: idle for too long, or grown beyond the memory of the pool while importing.
   */
  #endSurplus(): void {
    const { warmIdleMs, warmBytes } = this.#settings();
    const oldest = performance.now() - warmIdleMs;
    for (const idle of this.#idle) {
      if (idle.since <= oldest) this.#end(idle);
      else this.#remember(idle);
    }
    this.#evict(warmBytes, null);
  }

  #evict(bytes: number, exceptKey: string | null): void {
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

/**
 * Workers are interchangeable when their code, environment and hosts are equal, and the limits that hold from the first
 * instruction.
 */
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
