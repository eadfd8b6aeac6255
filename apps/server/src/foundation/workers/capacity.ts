import os from 'node:os';
import { existsSync, readFileSync } from 'node:fs';
import type { CapacitySettings } from '../config/index.ts';
import type { Queries } from '../storage/index.ts';

/** Resources of a worker's machine for executions. */
export interface Capacity {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Number of GPUs by type; the type is empty if types are not distinguished. */
  readonly gpus: Readonly<Record<string, number>>;
}

/** Resources that an execution is promised. */
export interface Needs {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  /** Null for any type. */
  readonly gpuType: string | null;
}

const MB = 1024 * 1024;
/** Memory that is reserved for the platform, in bytes. */
const PLATFORM_BYTES = 512 * MB;
/** Memory that is reserved for the largest step of a build, in bytes. */
const BUILD_BYTES = 2048 * MB;

/** The capacity by the settings. Default: all processors, and most of the memory, that this process may use. */
export function capacityOf({ cpus, memoryBytes, gpus, warmBytes }: CapacitySettings): Capacity {
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const left = Math.max(machine - PLATFORM_BYTES - BUILD_BYTES - warmBytes, machine / 2);
  return { cpus: cpus ?? os.availableParallelism(), memoryBytes: memoryBytes ?? left, gpus };
}

export interface Machine {
  readonly id: string;
  readonly sharesCpus: boolean;
  readonly sharesMemory: boolean;
}

/**
 * Identifies the machine by its kernel: containers of one machine have different host names and share its processors.
 */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The machine of this process, and whether workers on it share its processors and memory. A resource is not shared if
 * it is set, or if a cgroup or an affinity mask gives this process a part of it.
 */
export function machineOf({ cpus, memoryBytes }: CapacitySettings): Machine {
  const own = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    id: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'latin1').trim() : os.hostname(),
    sharesCpus: cpus === null && os.availableParallelism() === os.cpus().length,
    sharesMemory: memoryBytes === null && own >= os.totalmem(),
  };
}

/** The promise in a row. An execution that was claimed before promises were recorded has none. */
export function needsOfRow(
  row: Readonly<Record<'cpus' | 'memory_bytes' | 'gpus', number | null>> & { readonly gpu_type: string | null },
): Needs {
  return { cpus: row.cpus ?? 0, memoryBytes: row.memory_bytes ?? 0, gpus: row.gpus ?? 0, gpuType: row.gpu_type };
}

/** The free resources of a machine, given its promises. */
export function freeResources(capacity: Capacity, promised: readonly Needs[]): Resources {
  const free = new Resources(capacity);
  for (const needs of promised) free.take(needs);
  return free;
}

/** Processors that are tolerated, because sums of fractions are not exact. */
const ALMOST = 1e-6;

/** The free resources of a machine. */
export class Resources {
  #cpus: number;
  #memoryBytes: number;
  readonly #gpus: Map<string, number>;

  constructor({ cpus, memoryBytes, gpus }: Capacity) {
    this.#cpus = cpus;
    this.#memoryBytes = memoryBytes;
    this.#gpus = new Map(Object.entries(gpus));
  }

  /** The resources for these needs, with the type of the GPUs; null if not enough are free. */
  fit(needs: Needs): Needs | null {
    if (needs.cpus > this.#cpus + ALMOST || needs.memoryBytes > this.#memoryBytes) return null;
    if (needs.gpus === 0) return { ...needs, gpuType: null };
    const gpuType = this.#typeFor(needs);
    return gpuType === undefined ? null : { ...needs, gpuType };
  }

  hasGpus(needs: Needs): boolean {
    return needs.gpus === 0 || this.#typeFor(needs) !== undefined;
  }

  take(given: Needs): void {
    this.#cpus -= given.cpus;
    this.#memoryBytes -= given.memoryBytes;
    if (given.gpus > 0 && given.gpuType !== null)
      this.#gpus.set(given.gpuType, (this.#gpus.get(given.gpuType) ?? 0) - given.gpus);
  }

  #typeFor(needs: Needs): string | undefined {
    for (const [gpuType, count] of this.#gpus)
      if (count >= needs.gpus && isType(needs.gpuType, gpuType)) return gpuType;
    return undefined;
  }

  /** True if not even the smallest execution fits. */
  get isFull(): boolean {
    return this.#cpus + ALMOST < SMALLEST_CPUS || this.#memoryBytes < SMALLEST_BYTES;
  }
}

/** The least resources that a version can ask for. */
const SMALLEST_CPUS = 0.1;
const SMALLEST_BYTES = 64 * MB;

function isType(wanted: string | null, type: string): boolean {
  return wanted === null || wanted.trim().toLowerCase() === type.toLowerCase();
}

/** Reasons why no machine could ever satisfy these needs, one for each resource; empty if one could. */
export function lacking(
  needs: Needs,
  capacities: readonly Capacity[],
): { readonly member: string; readonly detail: string }[] {
  if (capacities.some((capacity) => new Resources(capacity).fit(needs) !== null)) return [];
  const most = (of: (capacity: Capacity) => number): number => Math.max(0, ...capacities.map(of));
  const gpusOf = ({ gpus }: Capacity): number =>
    Math.max(0, ...Object.entries(gpus).map(([type, count]) => (isType(needs.gpuType, type) ? count : 0)));
  const [cpus, memoryBytes, gpus] = [most((one) => one.cpus), most((one) => one.memoryBytes), most(gpusOf)];
  const wanted = needs.gpuType === null ? '' : ` of type ${needs.gpuType}`;
  const reasons = [
    ...(needs.cpus > cpus + ALMOST
      ? [{ member: 'cpus', detail: `${needs.cpus} CPUs are asked for, and the largest machine has ${cpus}` }]
      : []),
    ...(needs.memoryBytes > memoryBytes
      ? [
          {
            member: 'memoryGb',
            detail: `${inGb(needs.memoryBytes)} GB are asked for, and the largest machine has ${inGb(memoryBytes)} for executions`,
          },
        ]
      : []),
    ...(needs.gpus > gpus
      ? [
          {
            member: 'gpu',
            detail:
              gpus === 0
                ? `no GPU${wanted} is available on this installation`
                : `${needs.gpus} GPUs${wanted} are asked for, and the largest machine has ${gpus}`,
          },
        ]
      : []),
  ];
  // Each resource suffices on some machine, but all of them on none.
  return reasons.length > 0
    ? reasons
    : [{ member: 'cpus', detail: 'no machine has that many CPUs, that much memory and the GPUs together' }];
}

/** GB with two decimals, rounded down so that the shown amount is available. */
function inGb(bytes: number): number {
  return Math.floor((bytes / 2 ** 30) * 100) / 100;
}

/** Capacities that the workers of this installation have reported, without lost workers. */
export async function knownCapacities(queries: Queries): Promise<Capacity[]> {
  const rows = await queries
    .selectFrom('workers')
    .select(['cpus', 'memory_bytes', 'gpus'])
    .where('lost_at', 'is', null)
    .execute();
  return rows.flatMap(({ cpus, memory_bytes, gpus }) =>
    cpus === null || memory_bytes === null || gpus === null
      ? []
      : [{ cpus, memoryBytes: memory_bytes, gpus: JSON.parse(gpus) as Record<string, number> }],
  );
}
