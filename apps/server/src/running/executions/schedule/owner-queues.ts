import type { Load } from './load.ts';
import type { Queue, Situation } from './situation.ts';

/** Milliseconds for which short executions overtake others; beyond that the others go first as well. */
export const OVERTAKEN_MS = 600_000;

interface Owner {
  /** In the order of their starts. */
  readonly queues: Queue[];
  readonly turnAt: number;
}

/**
 * The queues of all owners, fairest first. A step takes one binary search among the owners, however many queues there
 * are.
 */
export class OwnerQueues {
  readonly #load: Load;
  readonly #situation: Situation;
  /** In reverse order: the last owner is next. */
  readonly #owners: Owner[];

  constructor(queues: readonly Queue[], load: Load, situation: Situation) {
    this.#load = load;
    this.#situation = situation;
    this.#owners = [...Map.groupBy(queues, ({ ownerId }) => ownerId).values()].map((of) => ({
      queues: of.toSorted((one, other) => this.#orderOfOne(one, other)),
      turnAt: of.reduce((first, { turnAt }) => Math.min(first, turnAt), Infinity),
    }));
    this.#owners.sort((one, other) => this.#order(other, one));
  }

  get next(): Queue | undefined {
    return this.#owners.at(-1)?.queues[0];
  }

  /** Skips the next queue: it cannot be started. */
  drop(): void {
    const [owner] = this.#owners.splice(-1);
    owner?.queues.shift();
    if (owner && owner.queues.length > 0) this.#insert(owner);
  }

  /** Skips all queues of the next owner. */
  dropOwner(): void {
    this.#owners.pop();
  }

  /** Sorts the next owner in anew: its load has changed. */
  renew(): void {
    const [owner] = this.#owners.splice(-1);
    if (owner) this.#insert(owner);
  }

  #insert(owner: Owner): void {
    let [low, high] = [0, this.#owners.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#owners[middle];
      if (other && this.#order(owner, other) < 0) low = middle + 1;
      else high = middle;
    }
    this.#owners.splice(low, 0, owner);
  }

  #order(one: Owner, other: Owner): number {
    const [first, second] = [one.queues[0], other.queues[0]];
    if (!first || !second) return 0;
    return (
      this.#orderByLength(first, second) ||
      this.#load.shareOf(first.ownerId) - this.#load.shareOf(second.ownerId) ||
      one.turnAt - other.turnAt ||
      byHead(first, second)
    );
  }

  #orderOfOne(one: Queue, other: Queue): number {
    return this.#orderByLength(one, other) || byHead(one, other);
  }

  #orderByLength(one: Queue, other: Queue): number {
    return Number(this.#goesFirst(other)) - Number(this.#goesFirst(one));
  }

  #goesFirst({ runTimeSeconds, headCreatedAt }: Queue): boolean {
    const { shortRunSeconds, now } = this.#situation;
    return shortRunSeconds !== null && (runTimeSeconds <= shortRunSeconds || now - headCreatedAt > OVERTAKEN_MS);
  }
}

function byHead(one: Queue, other: Queue): number {
  if (one.head === other.head) return 0;
  return one.head < other.head ? -1 : 1;
}
