import { isOutage } from './database.ts';
import { interleave } from './interleave.ts';

/**
 * Most items of a batch: bounds the size of a transaction, and how long the first item waits for the last. More wait.
 */
const AT_ONCE = 128;
/** Concurrent batches of different owners. Beyond them, items wait. */
const BATCHES = 4;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Processes items in batches: items that arrive while a batch runs share the next one. If a batch fails, each of its
 * items is retried alone, so that one bad item does not fail the others. If the database is unavailable, nothing is
 * retried: the batch may have been committed.
 */
export class Batcher<Item, Result> {
  readonly #doAll: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #ownerOf: ((item: Item) => string) | null;
  #waiting: Waiting<Item, Result>[] = [];
  #working = false;
  /** The owners of each running batch. */
  readonly #underWay = new Set<ReadonlySet<string>>();

  /**
   * `doAll` returns a result for each item, in their order. With `ownerOf`, items are taken round-robin over owners
   * when more wait than fit into a batch. An owner without a running batch gets a batch of its own. So one item does
   * not wait for a thousand items of another owner.
   */
  constructor(
    doAll: (items: readonly Item[]) => Promise<readonly Result[]>,
    ownerOf: ((item: Item) => string) | null = null,
  ) {
    this.#doAll = doAll;
    this.#ownerOf = ownerOf;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#working) return this.#goBeside(item);
      this.#working = true;
      // Items of the same turn of the event loop share the first batch.
      setImmediate(() => void this.#work());
    });
  }

  #goBeside(item: Item): void {
    const ownerOf = this.#ownerOf;
    const { size } = this.#underWay;
    if (!ownerOf || size === 0 || size >= BATCHES) return;
    const owner = ownerOf(item);
    if (this.#underWay.values().some((owners) => owners.has(owner))) return;
    const own = new Set(this.#waiting.filter((one) => ownerOf(one.item) === owner).slice(0, AT_ONCE));
    this.#waiting = this.#waiting.filter((one) => !own.has(one));
    void this.#batch([...own]);
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#batch(this.#next());
    this.#working = false;
  }

  #next(): readonly Waiting<Item, Result>[] {
    const ownerOf = this.#ownerOf;
    if (!ownerOf || this.#waiting.length <= AT_ONCE) return this.#waiting.splice(0, AT_ONCE);
    const owners = Map.groupBy(this.#waiting, ({ item }) => ownerOf(item));
    const next = new Set(interleave([...owners.values()]).slice(0, AT_ONCE));
    this.#waiting = this.#waiting.filter((one) => !next.has(one));
    return [...next];
  }

  async #batch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const owners = new Set(batch.map(({ item }) => this.#ownerOf?.(item) ?? ''));
    this.#underWay.add(owners);
    try {
      const results = await this.#doAll(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#batch([one]);
    } finally {
      this.#underWay.delete(owners);
    }
  }
}
