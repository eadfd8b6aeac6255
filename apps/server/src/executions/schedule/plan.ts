import { Room, type Capacity, type Needs } from '../../workers/index.ts';

/** What one owner has pending of one service version. */
export interface Queue {
  readonly ownerId: string;
  readonly versionId: string;
  readonly serviceId: string | null;
  /** How many of its service may run at the same time, on all workers; null is no limit. */
  readonly serviceAtOnce: number | null;
  /** When something of the owner was last started, or since when the queue waits. */
  readonly turnAt: number;
  /** The id of the oldest; ids are in the order of creation. */
  readonly head: string;
  readonly headCreatedAt: number;
  readonly needs: Needs;
  readonly runTimeSeconds: number;
}

/** What runs on all workers, by owner and service. */
export interface Running {
  readonly ownerId: string;
  readonly serviceId: string | null;
  readonly executions: number;
  readonly cpus: number;
  readonly memoryBytes: number;
}

export interface Situation {
  readonly queues: readonly Queue[];
  readonly running: readonly Running[];
  /** Of the machine that asks, and what it has promised. */
  readonly capacity: Capacity;
  readonly promised: readonly Needs[];
  /** How many more executions it may run. */
  readonly places: number;
  readonly ownerAtOnce: number | null;
  readonly shortRunSeconds: number | null;
  readonly now: number;
}

export interface Start {
  readonly queue: Queue;
  readonly given: Needs;
}

/** One that fits the machine, but not beside what is promised, is passed over for so long; then room is kept for it. */
export const PASSED_OVER_MS = 30_000;
/** Short executions go before others for so long. */
export const OVERTAKEN_MS = 600_000;

/**
 * What is started now on one machine. The owner of whom the smallest part of the machine runs is next, wherever it runs
 * (the larger of its shares of processors and memory); of owners who are even, the one whose last turn is the longest ago;
 * of one owner, the oldest. So nobody's first waits for more than what runs, however much others have waiting.
 */
export function plan(situation: Situation): Start[] {
  const { capacity, promised, ownerAtOnce, running } = situation;
  const room = new Room(capacity);
  for (const needs of promised) room.take(needs);
  const load = new Load(running, capacity);
  const starts: Start[] = [];
  let queues = [...situation.queues];
  while (starts.length < situation.places && queues.length > 0 && !room.isFull) {
    const next = queues.reduce((first, other) => (isBefore(other, first, load, situation) ? other : first));
    const atLimit =
      load.ofOwner(next.ownerId) >= (ownerAtOnce ?? Infinity) ||
      load.ofService(next.serviceId) >= (next.serviceAtOnce ?? Infinity);
    const given = atLimit ? null : room.fit(next.needs);
    if (given) {
      room.take(given);
      load.add(next, given);
      starts.push({ queue: next, given });
    } else if (!atLimit && isPassedOver(next, situation)) break;
    else queues = queues.filter((queue) => queue !== next);
  }
  return starts;
}

/** Whether nothing else may take what becomes free, until there is enough for this one. */
function isPassedOver({ needs, headCreatedAt }: Queue, { capacity, now }: Situation): boolean {
  return now - headCreatedAt > PASSED_OVER_MS && new Room(capacity).fit(needs) !== null;
}

function isBefore(one: Queue, other: Queue, load: Load, situation: Situation): boolean {
  const order =
    Number(goesFirst(other, situation)) - Number(goesFirst(one, situation)) ||
    load.shareOf(one.ownerId) - load.shareOf(other.ownerId) ||
    (one.ownerId === other.ownerId ? 0 : one.turnAt - other.turnAt);
  return order === 0 ? one.head < other.head : order < 0;
}

function goesFirst({ runTimeSeconds, headCreatedAt }: Queue, { shortRunSeconds, now }: Situation): boolean {
  return shortRunSeconds !== null && (runTimeSeconds <= shortRunSeconds || now - headCreatedAt > OVERTAKEN_MS);
}

/** What runs, and what has just been decided to. */
class Load {
  readonly #owners = new Map<string, { executions: number; cpus: number; memoryBytes: number }>();
  readonly #services = new Map<string, number>();
  readonly #capacity: Capacity;

  constructor(running: readonly Running[], capacity: Capacity) {
    this.#capacity = capacity;
    for (const one of running) this.#count(one, one.executions, one);
  }

  add(queue: Queue, given: Needs): void {
    this.#count(queue, 1, given);
  }

  ofOwner(ownerId: string): number {
    return this.#owners.get(ownerId)?.executions ?? 0;
  }

  ofService(serviceId: string | null): number {
    return serviceId === null ? 0 : (this.#services.get(serviceId) ?? 0);
  }

  shareOf(ownerId: string): number {
    const { cpus = 0, memoryBytes = 0 } = this.#owners.get(ownerId) ?? {};
    return Math.max(cpus / this.#capacity.cpus, memoryBytes / this.#capacity.memoryBytes);
  }

  #count(
    of: Pick<Queue, 'ownerId' | 'serviceId'>,
    executions: number,
    { cpus, memoryBytes }: Pick<Needs, 'cpus' | 'memoryBytes'>,
  ): void {
    const owner = this.#owners.get(of.ownerId) ?? { executions: 0, cpus: 0, memoryBytes: 0 };
    owner.executions += executions;
    owner.cpus += cpus;
    owner.memoryBytes += memoryBytes;
    this.#owners.set(of.ownerId, owner);
    if (of.serviceId !== null) this.#services.set(of.serviceId, this.ofService(of.serviceId) + executions);
  }
}
