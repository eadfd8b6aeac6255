import { Room, roomOf, type Capacity, type Needs } from '../../../foundation/workers/index.ts';
import { Load } from './load.ts';
import { LongRuns, type LongRun } from './long-runs.ts';
import { Turns } from './turns.ts';

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
  readonly longRunSeconds: number;
  readonly longRunShare: number;
  /** What runs on the machine that asks and may run for long. */
  readonly longRunning: readonly LongRun[];
  readonly now: number;
}

export interface Start {
  readonly queue: Queue;
  readonly given: Needs;
  /** What part of the machine its owner had running before. */
  readonly share: number;
}

/** One that fits the machine, but not beside what is promised, is passed over for so long; then room is kept for it. */
export const PASSED_OVER_MS = 30_000;

/**
 * What is started now on one machine. The owner of whom the smallest part of the machine runs is next, wherever it runs
 * (the larger of its shares of processors and memory); of owners who are even, the one whose last turn is the longest ago;
 * of one owner, the oldest. So nobody's first waits for more than what runs, however much others have waiting.
 */
export function plan(situation: Situation): Start[] {
  const { capacity, promised, ownerAtOnce, running, queues, places } = situation;
  const room = roomOf(capacity, promised);
  const reservations = new Reservations(room, situation);
  const load = new Load(running, capacity);
  const turns = new Turns(queues, load, situation);
  const longRuns = new LongRuns(situation.longRunning, capacity, places + promised.length, situation);
  const starts: Start[] = [];
  for (let next = turns.next; next && starts.length < places && !room.isFull; next = turns.next) {
    if (load.ofOwner(next.ownerId) >= (ownerAtOnce ?? Infinity)) turns.dropOwner();
    else if (load.ofService(next.serviceId) >= (next.serviceAtOnce ?? Infinity)) turns.drop();
    else if (!longRuns.allows(next)) turns.drop();
    else {
      const given = room.fit(next.needs);
      if (given) {
        starts.push({ queue: next, given, share: load.shareOf(next.ownerId) });
        room.take(given);
        load.add(next, given);
        longRuns.add(next, given);
        turns.renew();
      } else {
        reservations.consider(next);
        turns.drop();
      }
    }
  }
  return starts;
}

/**
 * Room that is kept for executions that were passed over for too long. Together no more than the machine: what could not
 * begin beside the others holds nothing. Who waits for a GPU holds nothing else, or one that runs for a day would stop all.
 */
class Reservations {
  readonly #room: Room;
  readonly #held: Room;
  readonly #now: number;

  constructor(room: Room, { capacity, now }: Situation) {
    this.#room = room;
    this.#held = new Room(capacity);
    this.#now = now;
  }

  consider({ needs, headCreatedAt }: Queue): void {
    if (this.#now - headCreatedAt <= PASSED_OVER_MS) return;
    const given = this.#held.fit(needs);
    if (!given) return;
    const held = this.#room.hasGpus(given) ? given : { ...given, cpus: 0, memoryBytes: 0 };
    this.#held.take(held);
    this.#room.take(held);
  }
}
