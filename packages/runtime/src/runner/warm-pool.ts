import { messageOf } from '../errors.ts';
import type { Settings } from '../protocol/messages.ts';
import { discard } from './discard.ts';
import type { RunnerGround } from './ground.ts';
import { ServiceSandbox, type ServiceSpec } from './service-sandbox.ts';

/** Until it is known what a worker of some code needs: Python with a small library. */
const FIRST_GUESS_BYTES = 24 * 1024 * 1024;
const LOOK_MS = 2_000;
/** Code whose workers end before they get a job (an import that crashes) is started cold for a while. */
const GIVE_UP_AFTER = 3;
const GIVE_UP_MS = 300_000;
const MOST_REMEMBERED = 1_000;

interface Idle {
  key: string;
  spec: ServiceSpec;
  service: ServiceSandbox;
  since: number;
}

/**
 * Workers that have imported what their service needs and wait for one job. Each is a complete sandbox of its own, serves
 * one execution and ends: nothing of an execution is left for the next. It only takes away the wait: 8 ms of sandbox,
 * 20 ms of Python and 90 ms or more of imports like numpy.
 */
export class WarmPool {
  readonly #ground: RunnerGround;
  readonly #settings: () => Settings;
  /** Longest idle first. */
  readonly #idle = new Set<Idle>();
  readonly #taken = new Set<ServiceSandbox>();
  /** What a worker of this code was seen to hold. */
  readonly #seenBytes = new Map<string, number>();
  readonly #failures = new Map<string, { count: number; last: number }>();
  readonly #look: NodeJS.Timeout;
  #closed = false;

  constructor(ground: RunnerGround, settings: () => Settings) {
    this.#ground = ground;
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
    if (forGood) clearInterval(this.#look);
    const all = [...this.#idle];
    for (const idle of all) this.#end(idle);
    await Promise.all(all.map(async ({ service }) => service.sandbox.ended));
  }

  #add(key: string, spec: ServiceSpec): void {
    const nest = this.#ground.nests.make();
    const service = new ServiceSandbox(this.#ground, nest, spec.code.imports, spec.limits);
    try {
      service.begin(spec, { warm: true, dataPools: [] });
    } catch (error) {
      service.end();
      throw error;
    }
    const idle: Idle = { key, spec, service, since: performance.now() };
    this.#idle.add(idle);
    void service.sandbox.ended.then(() => {
      if (this.#taken.delete(service)) return; // its folder is the execution's to keep
      if (this.#idle.has(idle)) {
        this.#remove(idle);
        this.#failed(key);
      }
      discard(nest);
    });
  }

  #remove(idle: Idle): void {
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
    code.imports,
    variables,
    hosts,
    memoryBytes,
    cpus,
    processes,
    tmpBytes,
  ]);
}
