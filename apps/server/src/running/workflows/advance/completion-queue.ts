import type { Event } from '@kethub/workflow';
import { interleave, type WorkflowJobRow } from '../../../foundation/storage/index.ts';

/** Number of ends per batch. Further ones wait for the next batch. */
export const LARGEST_BATCH = 128;

/** A job of this process that has ended, and the event for its instance. */
export interface Ended {
  readonly job: LeasedJob & Pick<WorkflowJobRow, 'instance_id' | 'owner'>;
  readonly event: Event;
}

/** A job in the state and under the lease in which a process has claimed it. */
export type LeasedJob = Pick<WorkflowJobRow, 'id' | 'state' | 'lease'>;

/** The key of an end: two ends of one job in one state under one lease are the same. */
export function keyOf({ id, state, lease }: LeasedJob): string {
  return `${id} ${state} ${lease}`;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface Waiting {
  readonly ended: Ended;
  /** Everybody who has reported this end. */
  readonly waiters: Waiter[];
}

/**
 * A queue in memory of ended jobs. The row of a job stays until the step that takes its end is written, which deletes
 * the row in the same transaction.
 *
 * So nothing is lost with the process, and nothing happens twice. No event is written only to be read and deleted. An
 * end that is reported twice is one.
 */
export class CompletionQueue {
  readonly #waiting = new Map<string, Waiting>();
  readonly #wake: (isUrgent: boolean) => void;
  /** Owners whose ends were taken last. */
  #served: ReadonlySet<string> = new Set();

  /** `wake` has a batch made; urgently for an owner whose ends were not in the last batch. */
  constructor(wake: (isUrgent: boolean) => void = () => undefined) {
    this.#wake = wake;
  }

  /** Number of ends that wait for a batch. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when the end of the job is on disk, or the job was in another state by then. */
  add(ended: Ended): Promise<void> {
    return new Promise((resolve, reject) => {
      put(this.#waiting, { ended, waiters: [{ resolve, reject }] });
      this.#wake(!this.#served.has(ended.job.owner));
    });
  }

  /**
   * Takes the next ends, except those of instances in `without`. When they do not fit into one batch, all owners get
   * the same share.
   */
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

  /** Takes ends of one instance, up to `most`. */
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

/** Ends that one batch has taken. The batch resolves, rejects or puts them back. */
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

  /** Leaves ends for another batch. */
  putBack(some: ReadonlySet<Ended> = new Set(this.all)): void {
    for (const one of this.#all) if (some.has(one.ended)) put(this.#box, one);
    this.#all = this.#all.filter(({ ended }) => !some.has(ended));
  }

  /** Reports that the ends are on disk: hand-over 6 of the state chart in workflows/engine.ts. */
  resolve(): void {
    for (const { waiters } of this.#all) for (const { resolve } of waiters) resolve();
  }

  /** Reports that nothing was written. Whoever has reported an end decides what happens to it. */
  reject(error: unknown): void {
    for (const { waiters } of this.#all) for (const { reject } of waiters) reject(error);
  }
}
