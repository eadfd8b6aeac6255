import { isOutage } from './database.ts';
import { interleave } from './interleave.ts';

/** A bound on how long the first of a batch waits for the last, and on what one transaction holds. */
const AT_ONCE = 128;
/** Batches that are under way at a time, where owners need not wait for one another. */
const BATCHES = 4;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Does the same for many at once: what comes while a batch is under way shares the next. When a batch fails, each of its
 * items is tried alone, so that one that cannot be done takes nobody along; not when the database is away, because then
 * nobody knows what was done.
 */
export class Batcher<Item, Result> {
  readonly #doAll: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #ownerOf: ((item: Item) => string) | null;
  #waiting: Waiting<Item, Result>[] = [];
  #working = false;
  /** The owners of each batch that is under way. */
  readonly #underWay = new Set<ReadonlySet<string>>();

  /**
   * `doAll` answers with a result for each, in their order. With `ownerOf` owners take turns when more wait than a batch
   * holds, and who is in no batch that is under way gets one of its own: whoever brings one item does not wait for a
   * thousand of another.
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
      // Those who come in the same turn of the event loop share the first batch.
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
      // One for each, as promised.
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#batch([one]);
    } finally {
      this.#underWay.delete(owners);
    }
  }
}
