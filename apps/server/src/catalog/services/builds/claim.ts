import type { ServiceRuntime } from '@kethub/contract';
import { removeCopies } from '../../../foundation/logs/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import {
  capacityOf,
  claimExclusively,
  machineOf,
  promisedOn,
  Resources,
  type Capacity,
  type Machine,
  type Needs,
} from '../../../foundation/workers/index.ts';
import { claimBuild } from '../queries.ts';
import { planBuilds, type BuildStart } from './plan.ts';
import { executionsWaitSince, recordTurns, runningBuilds, waitingBuilds } from './queue.ts';

/** Milliseconds that an execution may wait. Beyond it builds use the reserved slots only. */
const EXECUTION_WAITS_MS = 30_000;

/** Claims builds for one worker: on its reserved slots, and beyond them what executions leave of half the machine. */
export class BuildClaims {
  readonly #platform: Platform;
  readonly #workerId: string;
  readonly #capacity: Capacity;
  readonly #machine: Machine;

  constructor(platform: Platform, workerId: string, capacity = capacityOf(platform.configuration.capacity)) {
    this.#platform = platform;
    this.#workerId = workerId;
    this.#capacity = capacity;
    this.#machine = machineOf(platform.configuration.capacity);
  }

  /** Claims the builds for these runtimes that are next. They become RUNNING. Returns their ids. */
  async claim(runtimes: readonly ServiceRuntime[]): Promise<readonly string[]> {
    const { database, now } = this.#platform;
    if (runtimes.length === 0) return [];
    const somethingWaits = async (): Promise<boolean> => (await waitingBuilds(database.read, runtimes)).length > 0;
    return claimExclusively(this.#platform, somethingWaits, async (transaction) => {
      const waiting = await waitingBuilds(transaction, runtimes);
      const running = await runningBuilds(transaction);
      const promised = await promisedOn(transaction, this.#workerId, this.#machine);
      const isLate = await executionsWaitSince(transaction, now() - EXECUTION_WAITS_MS);
      const free = isLate
        ? NO_RESOURCES
        : resourcesForBuilds(this.#capacity, [...promised.executions.values()], promised.beside);
      const starts = planBuilds({ workerId: this.#workerId, waiting, running, free });
      const claimed: BuildStart[] = [];
      for (const start of starts) {
        const { build, given } = start;
        if (!(await claimBuild(transaction, build.id, this.#workerId, given, now()))) continue;
        // The log of a build that a restart cut off begins anew, so its copies are removed.
        await removeCopies(transaction, build.id);
        claimed.push(start);
      }
      const owners = claimed.map(({ build }) => build.ownerId);
      if (owners.length > 0) await recordTurns(transaction, owners, now());
      return claimed.map(({ build }) => build.id);
    });
  }
}

const NO_RESOURCES = new Resources({ cpus: 0, memoryBytes: 0, gpus: {} });

/**
 * Free resources for builds: the smaller of what is left of the machine and what is left of the half that builds may
 * take. Builds compute, so that half is of the existing processors, although more may be promised to executions.
 */
function resourcesForBuilds(capacity: Capacity, executions: readonly Needs[], beside: readonly Needs[]): Resources {
  const there = capacityOf({ cpus: null, memoryBytes: null, gpus: {}, warmBytes: 0 });
  const sum = (of: readonly Needs[], part: 'cpus' | 'memoryBytes'): number =>
    of.reduce((total, one) => total + one[part], 0);
  const left = (part: 'cpus' | 'memoryBytes'): number =>
    Math.min(capacity[part] - sum(executions, part), Math.min(capacity[part], there[part]) / 2) - sum(beside, part);
  return new Resources({ cpus: left('cpus'), memoryBytes: left('memoryBytes'), gpus: {} });
}
