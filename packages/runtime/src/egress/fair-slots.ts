/**
 * Slots that several holders share fairly. No holder takes more than its limit, and none takes the last slots from the
 * others.
 */
export class FairSlots {
  readonly #total: number;
  readonly #mostEach: number;
  readonly #taken = new Map<string, number>();
  readonly #entered = new Set<string>();
  #used = 0;

  /**
   * @param total slots of all holders together.
   * @param mostEach slots of one holder, even when more are free.
   */
  constructor(total: number, mostEach: number) {
    this.#total = total;
    this.#mostEach = mostEach;
  }

  /** Adds a holder, so that a share is kept for it even while it uses no slot. */
  enter(holder: string): void {
    this.#entered.add(holder);
    if (!this.#taken.has(holder)) this.#taken.set(holder, 0);
  }

  /** Removes a holder. Its slots are counted until they are given back. */
  leave(holder: string): void {
    this.#entered.delete(holder);
    this.#taken.delete(holder);
  }

  takenBy(holder: string): number {
    return this.#taken.get(holder) ?? 0;
  }

  /**
   * Takes a slot and returns a function that gives it back, or null when this holder can have none. The last quarter of
   * the slots is reserved for holders below an equal share.
   */
  take(holder: string): (() => void) | null {
    const taken = this.#taken.get(holder) ?? 0;
    if (taken >= this.#mostEach || this.#used >= this.#total) return null;
    // The share counts one more holder, so that the next newcomer finds one as well.
    const share = Math.max(1, Math.floor(this.#total / (this.#taken.size + 1)));
    if (taken >= share && this.#used >= this.#total * 0.75) return null;
    this.#taken.set(holder, taken + 1);
    this.#used += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#used -= 1;
      const now = this.#taken.get(holder);
      if (now === undefined) return;
      if (now > 1 || this.#entered.has(holder)) this.#taken.set(holder, Math.max(0, now - 1));
      else this.#taken.delete(holder);
    };
  }
}
