/** Number of owners in memory. Beyond it, empty buckets are forgotten, then the one that was used longest ago. */
const OWNERS = 1_000;

/**
 * A leaky bucket per owner. What an owner spends leaks at `perSecond` units a second; an owner above the capacity has
 * to wait.
 */
export class LeakyBucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #used = new Map<string, { readonly at: number; readonly level: number }>();

  constructor(perSecond: number, capacity: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#now = now;
  }

  allows(owner: string): boolean {
    return this.#level(owner) <= this.#capacity;
  }

  spend(owner: string, milliseconds: number): void {
    const level = this.#level(owner) + milliseconds;
    this.#used.delete(owner);
    this.#used.set(owner, { at: this.#now(), level });
    if (this.#used.size > OWNERS) this.#forget();
  }

  #level(owner: string): number {
    const used = this.#used.get(owner);
    if (!used) return 0;
    return Math.max(0, used.level - ((this.#now() - used.at) / 1000) * this.#perSecond);
  }

  #forget(): void {
    for (const owner of this.#used.keys()) if (this.#level(owner) === 0) this.#used.delete(owner);
    // All buckets are in use: forgets the one that was used longest ago.
    const [oldest] = this.#used.keys();
    if (this.#used.size > OWNERS && oldest !== undefined) this.#used.delete(oldest);
  }
}
