/** Number of jobs that one process works on at a time. Further ones wait in the table. */
const AT_ONCE = 128;
/**
 * Number of jobs of one owner at a time. The other slots are for others, however slow the services of one owner are.
 */
const OF_ONE_OWNER = 96;

/** Free slots, of all owners together and of one owner. */
export interface FreeSlots {
  readonly all: number;
  of(owner: string): number;
}

/**
 * The slots for jobs in this process. A job of an instance that was advanced here gets one at once, without being
 * looked for in the table.
 *
 * Unless older jobs wait there: of its owner, or of anybody when all slots were taken.
 */
export class JobSlots {
  readonly #taken = new Map<string, number>();
  readonly #behind = new Set<string>();
  #all = 0;
  /** True until the table was read: older jobs may wait there. */
  #isFull = true;

  free(): FreeSlots {
    return { all: AT_ONCE - this.#all, of: (owner) => OF_ONE_OWNER - (this.#taken.get(owner) ?? 0) };
  }

  /** Takes a slot for a new job of this owner. Returns false when the job has to wait in the table. */
  takeNow(owner: string): boolean {
    const { all, of } = this.free();
    if (all <= 0) this.#isFull = true;
    if (of(owner) <= 0) this.#behind.add(owner);
    if (this.#isFull || this.#behind.has(owner)) return false;
    this.take(owner);
    return true;
  }

  /** True if jobs may wait in the table for a slot. */
  get someWait(): boolean {
    return this.#isFull || this.#behind.size > 0;
  }

  take(owner: string): void {
    this.#all += 1;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
  }

  give(owner: string): void {
    this.#all -= 1;
    const remaining = (this.#taken.get(owner) ?? 0) - 1;
    if (remaining > 0) this.#taken.set(owner, remaining);
    else this.#taken.delete(owner);
  }

  /** Records how many jobs of each owner were found in the table, when it was read for the `free` slots. */
  looked(free: FreeSlots, found: ReadonlyMap<string, number>): void {
    const all = found.values().reduce((sum, count) => sum + count, 0);
    this.#isFull = all >= free.all;
    if (this.#isFull) return;
    for (const owner of this.#behind) if ((found.get(owner) ?? 0) < free.of(owner)) this.#behind.delete(owner);
  }
}
