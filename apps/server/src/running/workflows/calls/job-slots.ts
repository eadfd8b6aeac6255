/** How many jobs one process works on at a time. */
const AT_ONCE = 128;
/** The rest is for others, however slow what one owner calls is. */
const OF_ONE_OWNER = 96;

/** How many jobs may be taken on, of everybody together and of one owner. */
export interface FreeSlots {
  readonly all: number;
  of(owner: string): number;
}

/**
 * The places for jobs in this process. A job of an instance that was advanced here takes one at once, without being looked
 * for in the table, unless others wait there that are older: of its owner, or of anybody when all places were taken.
 */
export class JobSlots {
  readonly #taken = new Map<string, number>();
  readonly #behind = new Set<string>();
  #all = 0;
  /** Until somebody has looked, nobody knows what waits. */
  #isFull = true;

  free(): FreeSlots {
    return { all: AT_ONCE - this.#all, of: (owner) => OF_ONE_OWNER - (this.#taken.get(owner) ?? 0) };
  }

  /** Whether a new job of this owner has a place now. If not, it waits in the table. */
  takeNow(owner: string): boolean {
    const { all, of } = this.free();
    if (all <= 0) this.#isFull = true;
    if (of(owner) <= 0) this.#behind.add(owner);
    if (this.#isFull || this.#behind.has(owner)) return false;
    this.take(owner);
    return true;
  }

  /** Whether jobs may wait in the table for a place. */
  get someWait(): boolean {
    return this.#isFull || this.#behind.size > 0;
  }

  take(owner: string): void {
    this.#all += 1;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
  }

  give(owner: string): void {
    this.#all -= 1;
    const rest = (this.#taken.get(owner) ?? 0) - 1;
    if (rest > 0) this.#taken.set(owner, rest);
    else this.#taken.delete(owner);
  }

  /** What somebody has found in the table who looked for as many jobs as there was `room` for: how many of each owner. */
  looked(free: FreeSlots, found: ReadonlyMap<string, number>): void {
    const all = found.values().reduce((sum, count) => sum + count, 0);
    this.#isFull = all >= free.all;
    if (this.#isFull) return;
    for (const owner of this.#behind) if ((found.get(owner) ?? 0) < free.of(owner)) this.#behind.delete(owner);
  }
}
