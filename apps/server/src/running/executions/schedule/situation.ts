import type { Capacity, Needs } from '../../../foundation/workers/index.ts';

/** The pending executions of one owner for one service version. */
export interface Queue {
  readonly ownerId: string;
  readonly versionId: string;
  readonly serviceId: string | null;
  /** Executions of the service that may run at the same time, on all workers; null is no limit. */
  readonly serviceAtOnce: number | null;
  /** Time of the last start of the owner, or since which the queue waits (epoch milliseconds). */
  readonly turnAt: number;
  /** Id of the oldest execution; ids are in the order of creation. */
  readonly head: string;
  readonly headCreatedAt: number;
  readonly needs: Needs;
  readonly runTimeSeconds: number;
}

/** The running executions of an owner and a service, on all workers. */
export interface Running {
  readonly ownerId: string;
  readonly serviceId: string | null;
  readonly executions: number;
  readonly cpus: number;
  readonly memoryBytes: number;
}

/** A long execution that runs on the machine. */
export interface LongRun {
  readonly ownerId: string;
  readonly given: Needs;
}

/** The input of a scheduling decision for one machine. */
export interface Situation {
  readonly queues: readonly Queue[];
  readonly running: readonly Running[];
  /** Resources of the machine, and those it has given away. */
  readonly capacity: Capacity;
  readonly promised: readonly Needs[];
  /** Executions that it may run beside those. */
  readonly slots: number;
  /** Executions of one owner that may run at the same time; null is no limit. */
  readonly ownerAtOnce: number | null;
  /** Executions with at most this run time go first; null: run time does not matter. */
  readonly shortRunSeconds: number | null;
  /** Executions with a longer run time are long. */
  readonly longRunSeconds: number;
  /** Share of the machine that long executions of one owner may use; 1 is no limit. */
  readonly longRunShare: number;
  readonly longRunning: readonly LongRun[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An execution at the head of a queue that is started. */
export interface Start {
  readonly queue: Queue;
  readonly given: Needs;
  /** Share of the machine that its owner had running before. */
  readonly share: number;
}
