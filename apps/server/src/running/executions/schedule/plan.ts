import { Resources, freeResources } from '../../../foundation/workers/index.ts';
import { Load } from './load.ts';
import { LongRuns } from './long-runs.ts';
import { OwnerQueues } from './owner-queues.ts';
import type { Queue, Situation, Start } from './situation.ts';

/**
 * Milliseconds for which an execution is passed over that fits the machine, but not beside those that run. Beyond that
 * resources are reserved for it.
 */
export const PASSED_OVER_MS = 30_000;

/**
 * Decides which executions one machine starts now. They are scheduled fairly: the owner with the smallest share of
 * running work on all machines goes first. A share is the larger one of its shares of processors and memory. Ties go to
 * the owner who has waited longest for a start; within an owner the oldest execution goes first. So a long queue of one
 * owner never delays another owner's first execution.
 */
export function plan(situation: Situation): Start[] {
  const { capacity, promised, ownerAtOnce, running, queues, slots } = situation;
  const free = freeResources(capacity, promised);
  const reservations = new Reservations(free, situation);
  const load = new Load(running, capacity);
  const owners = new OwnerQueues(queues, load, situation);
  const longRuns = new LongRuns(situation.longRunning, capacity, slots + promised.length, situation);
  const starts: Start[] = [];
  for (let next = owners.next; next && starts.length < slots && !free.isFull; next = owners.next) {
    if (load.ofOwner(next.ownerId) >= (ownerAtOnce ?? Infinity)) owners.dropOwner();
    else if (load.ofService(next.serviceId) >= (next.serviceAtOnce ?? Infinity)) owners.drop();
    else if (!longRuns.allows(next)) owners.drop();
    else {
      const given = free.fit(next.needs);
      if (given) {
        starts.push({ queue: next, given, share: load.shareOf(next.ownerId) });
        free.take(given);
        load.add(next, given);
        longRuns.add(next, given);
        owners.renew();
      } else {
        reservations.consider(next);
        owners.drop();
      }
    }
  }
  return starts;
}

/**
 * Reserves resources for executions that were passed over for too long, together at most the machine. An execution that
 * waits for a GPU reserves only the GPU: otherwise one that uses it for a day would stop all others.
 */
class Reservations {
  readonly #free: Resources;
  readonly #reserved: Resources;
  readonly #now: number;

  constructor(free: Resources, { capacity, now }: Situation) {
    this.#free = free;
    this.#reserved = new Resources(capacity);
    this.#now = now;
  }

  consider({ needs, headCreatedAt }: Queue): void {
    if (this.#now - headCreatedAt <= PASSED_OVER_MS) return;
    const given = this.#reserved.fit(needs);
    if (!given) return;
    const reserved = this.#free.hasGpus(given) ? given : { ...given, cpus: 0, memoryBytes: 0 };
    this.#reserved.take(reserved);
    this.#free.take(reserved);
  }
}
