import type { Event } from '@kethub/workflow';
import { interleave, type WorkflowJobRow } from '../../../foundation/storage/index.ts';

/** How many are taken into account in one transaction. */
export const LARGEST_BATCH = 128;

/** A job that this process works on and that has ended, and what its instance is to learn of it. */
export interface Ended {
  readonly job: LeasedJob & Pick<WorkflowJobRow, 'instance_id' | 'owner'>;
  readonly event: Event;
}

/** A job as somebody has taken it. */
export type LeasedJob = Pick<WorkflowJobRow, 'id' | 'state' | 'lease'>;

/** Equal for two ends of one job in one state under one lease: they are the same end. */
export function keyOf({ id, state, lease }: LeasedJob): string {
  return `${id} ${state} ${lease}`;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface Waiting {
  readonly ended: Ended;
  /** All who have told of it. */
  readonly waiters: Waiter[];
}

/**
 * Ends of jobs on their way to their instances, in memory: the row of the job stays until the step that knows its end is
 * written, in one transaction. So nothing is lost with the process, nothing happens twice, and what would only be written
 * to be read and deleted again, the event, is never written. An end that is told twice is one.
 */
export class CompletionQueue {
  readonly #waiting = new Map<string, Waiting>();
  readonly #wake: (isUrgent: boolean) => void;
  /** Whose ends were taken last. */
  #served: ReadonlySet<string> = new Set();

  /** `wake`: somebody is to look, and at once for an owner who has not just been served. */
  constructor(wake: (isUrgent: boolean) => void = () => undefined) {
    this.#wake = wake;
  }

  /** How many ends wait for a batch. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when it is on disk that the job has ended, or that it was in another state by then. */
  add(ended: Ended): Promise<void> {
    return new Promise((resolve, reject) => {
      put(this.#waiting, { ended, waiters: [{ resolve, reject }] });
      this.#wake(!this.#served.has(ended.job.owner));
    });
  }

  /** Takes the next for instances that are not among these: of all owners as many, when they do not fit into one batch. */
  next(...without: readonly { has(instanceId: string): boolean }[]): Taken {
    const free = this.#waiting
      .values()
      .filter(({ ended }) => !without.some((some) => some.has(ended.job.instance_id)))
      .toArray();
    const owners = Map.groupBy(free, ({ ended }) => ended.job.owner);
    const taken = this.#take(interleave([...owners.values()]).slice(0, LARGEST_BATCH));
    this.#served = new Set(taken.all.map(({ job }) => job.owner));
    return taken;
  }

  /** Takes those for one instance, `most` at the most. */
  of(instanceId: string, most: number): Taken {
    const own = this.#waiting.values().filter(({ ended }) => ended.job.instance_id === instanceId);
    return this.#take(own.take(most).toArray());
  }

  #take(some: readonly Waiting[]): Taken {
    for (const { ended } of some) this.#waiting.delete(keyOf(ended.job));
    return new Taken(this.#waiting, some);
  }
}

function put(box: Map<string, Waiting>, one: Waiting): void {
  const key = keyOf(one.ended.job);
  const same = box.get(key);
  if (same) same.waiters.push(...one.waiters);
  else box.set(key, one);
}

/** Ends that one batch takes into account, or puts back. */
export class Taken {
  readonly #box: Map<string, Waiting>;
  #all: readonly Waiting[];

  constructor(box: Map<string, Waiting>, all: readonly Waiting[]) {
    this.#box = box;
    this.#all = all;
  }

  get all(): readonly Ended[] {
    return this.#all.map(({ ended }) => ended);
  }

  /** These are for another batch. */
  putBack(some: ReadonlySet<Ended> = new Set(this.all)): void {
    for (const one of this.#all) if (some.has(one.ended)) put(this.#box, one);
    this.#all = this.#all.filter(({ ended }) => !some.has(ended));
  }

  /** It is on disk. */
  resolve(): void {
    for (const { waiters } of this.#all) for (const { resolve } of waiters) resolve();
  }

  /** Nothing was written. Whoever has told of an end decides what becomes of it. */
  reject(error: unknown): void {
    for (const { waiters } of this.#all) for (const { reject } of waiters) reject(error);
  }
}
