import type { Event } from '@kethub/workflow';
import { inTurns, isOutage, type Queries, type WorkflowJobRow } from '../../storage/index.ts';

/** How many are taken into account in one transaction. */
export const LARGEST_BATCH = 128;

/** A job that this process works on and that has ended, and what its instance is to learn of it. */
export interface Ended {
  readonly job: Pick<WorkflowJobRow, 'id' | 'instance_id' | 'owner' | 'state'>;
  readonly event: Event;
  /** What else is written if the job was in this state still. */
  readonly alongside: ((transaction: Queries) => Promise<void>) | null;
}

interface Waiting {
  readonly ended: Ended;
  /** A batch that it was part of has failed: it is tried without others, so that it takes nobody along again. */
  alone: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Ends of jobs on their way to their instances, in memory: the row of the job stays until the step that knows its end is
 * written, in one transaction. So nothing is lost with the process, nothing happens twice, and what would only be written
 * to be read and deleted again, the event, is never written.
 */
export class Inbox {
  readonly #waiting = new Map<Ended, Waiting>();
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
      this.#waiting.set(ended, { ended, alone: false, resolve, reject });
      this.#wake(!this.#served.has(ended.job.owner));
    });
  }

  /** Takes the next for instances that are not among `busy`: of all owners as many, when they do not fit into one batch. */
  next(busy: ReadonlySet<string>): Taken {
    const free = this.#waiting
      .values()
      .filter(({ ended }) => !busy.has(ended.job.instance_id))
      .toArray();
    const owners = Map.groupBy(
      free.filter(({ alone }) => !alone),
      ({ ended }) => ended.job.owner,
    );
    const together = inTurns([...owners.values()]).slice(0, LARGEST_BATCH);
    const taken = together.length > 0 ? together : free.slice(0, 1);
    for (const { ended } of taken) this.#waiting.delete(ended);
    this.#served = new Set(taken.map(({ ended }) => ended.job.owner));
    return new Taken(this.#waiting, taken);
  }
}

/** Ends that one batch takes into account, or puts back. */
export class Taken {
  readonly #box: Map<Ended, Waiting>;
  #all: readonly Waiting[];

  constructor(box: Map<Ended, Waiting>, all: readonly Waiting[]) {
    this.#box = box;
    this.#all = all;
  }

  get all(): readonly Ended[] {
    return this.#all.map(({ ended }) => ended);
  }

  /** These are for another batch. */
  putBack(some: ReadonlySet<Ended>): void {
    for (const one of this.#all) if (some.has(one.ended)) this.#box.set(one.ended, one);
    this.#all = this.#all.filter(({ ended }) => !some.has(ended));
  }

  /** It is on disk. */
  resolve(): void {
    for (const { resolve } of this.#all) resolve();
  }

  /** Nothing was written. Unless the database is away, each is tried once more without the others. */
  reject(error: unknown): void {
    const [one, another] = this.#all;
    const together = another !== undefined && one?.alone !== true && !isOutage(error);
    for (const waiting of this.#all) {
      waiting.alone = true;
      if (together) this.#box.set(waiting.ended, waiting);
      else waiting.reject(error);
    }
  }
}
