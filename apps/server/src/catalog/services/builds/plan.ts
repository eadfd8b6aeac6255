import type { Needs, Resources } from '../../../foundation/workers/index.ts';

/** Slots of each worker that are reserved for builds: `capacityOf` keeps their memory back from executions. */
const RESERVED_SLOTS = 2;
/** Resources that a build is promised beyond the reserved slots. Its sandboxes are limited to them. */
const BUILD_NEEDS: Needs = { cpus: 1, memoryBytes: 2 ** 30, gpus: 0, gpuType: null };
/** Resources counted for a build on a reserved slot. */
const RESERVED: Needs = { ...BUILD_NEEDS, cpus: 0, memoryBytes: 0 };

export interface WaitingBuild {
  readonly id: string;
  readonly ownerId: string;
  readonly createdAt: number;
  /** Last turn of its owner in epoch milliseconds; 0 when that is long ago. */
  readonly turnAt: number;
  /** Digest of its source. */
  readonly digest: string;
}

export interface RunningBuild {
  readonly ownerId: string;
  readonly workerId: string;
  /** Processors that it was given; 0 on a reserved slot. */
  readonly cpus: number;
  readonly digest: string;
}

export interface BuildSituation {
  readonly workerId: string;
  readonly waiting: readonly WaitingBuild[];
  /** Builds that run on all workers. */
  readonly running: readonly RunningBuild[];
  /** Resources that builds may take beyond the reserved slots; none while executions have waited for long. */
  readonly free: Resources;
}

export interface BuildStart {
  readonly build: WaitingBuild;
  readonly given: Needs;
}

/**
 * Decides which builds a worker begins now. The owner with the fewest running builds goes first; ties go to the owner
 * whose last turn is the longest ago. The oldest build of an owner goes first. One owner never has both reserved slots
 * of a worker, so its slow builds do not delay others. Builds of the same source run one after the other: the second is
 * quick.
 */
export function planBuilds({ workerId, waiting, running, free }: BuildSituation): BuildStart[] {
  const everywhere = new Map<string, number>();
  const here = new Map<string, number>();
  const digests = new Set<string>();
  let reserved = 0;
  const count = (ownerId: string, counts: Map<string, number>): void =>
    void counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
  for (const one of running) {
    count(one.ownerId, everywhere);
    if (one.workerId !== workerId) continue;
    count(one.ownerId, here);
    digests.add(one.digest);
    if (one.cpus === 0) reserved += 1;
  }
  const fit = ({ ownerId }: WaitingBuild): Needs | null => {
    if (reserved < RESERVED_SLOTS && (reserved === 0 || !here.has(ownerId))) return RESERVED;
    return free.fit(BUILD_NEEDS);
  };
  const order = (one: WaitingBuild, other: WaitingBuild): number =>
    (everywhere.get(one.ownerId) ?? 0) - (everywhere.get(other.ownerId) ?? 0) ||
    one.turnAt - other.turnAt ||
    one.createdAt - other.createdAt ||
    (one.id < other.id ? -1 : 1);

  const starts: BuildStart[] = [];
  const left = new Set(waiting);
  for (;;) {
    const candidates = [...left].filter((one) => !digests.has(one.digest) && fit(one) !== null);
    const build = candidates.toSorted(order)[0];
    const given = build && fit(build);
    if (!build || !given) return starts;
    starts.push({ build, given });
    left.delete(build);
    digests.add(build.digest);
    count(build.ownerId, everywhere);
    count(build.ownerId, here);
    if (given.cpus === 0) reserved += 1;
    else free.take(given);
  }
}
