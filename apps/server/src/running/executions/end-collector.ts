import type { ExecutionEnd, Runtime } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { finishExecution } from './finish.ts';
import { giveUpEnd, isFaultOfContent } from './give-up.ts';

/** So often it is tried to keep what cannot be kept for a reason of its own: a statement may meet a fault that passes. */
const MOST_FAULTS = 3;
/** So long, in milliseconds, an execution that has ended may keep its place while its end is collected. */
const PLACE_MS = 60_000;
/** After this time, in milliseconds, whatever holds the end of an execution that was freed is not waited for. */
const FREED_MS = 10_000;

interface Told {
  readonly end: ExecutionEnd;
  readonly since: number;
  faults: number;
  isFreed: boolean;
}

/** What becomes of ends that the runtime tells: each is collected once, however often it is told. */
export class EndCollector {
  readonly #platform: Platform;
  readonly #runtime: Runtime;
  readonly #collected: (end: ExecutionEnd) => void;
  readonly #finishing = new Map<string, Promise<void>>();
  /** Ends that were told and are not collected yet: the runtime may have forgotten them in spite of that. */
  readonly #told = new Map<string, Told>();

  /** @param collected is called when an end is in the database, or was given up. */
  constructor(platform: Platform, runtime: Runtime, collected: (end: ExecutionEnd) => void) {
    this.#platform = platform;
    this.#runtime = runtime;
    this.#collected = collected;
  }

  has(id: string): boolean {
    return this.#told.has(id);
  }

  get ids(): string[] {
    return [...this.#told.keys()];
  }

  /** Ends that have been waiting for so long that their places are needed. */
  get overdue(): string[] {
    const before = performance.now() - PLACE_MS;
    return this.ids.filter((id) => (this.#told.get(id)?.since ?? Infinity) <= before);
  }

  /**
   * Collects an end. After a failure the next look does it again: an outage passes. What is wrong with the end itself does
   * not, and the execution ends without what it left.
   */
  collect(end: ExecutionEnd): void {
    const id = end.executionId;
    if (this.#finishing.has(id)) return;
    const before = this.#told.get(id);
    const told = before ?? { end, since: performance.now(), faults: 0, isFreed: false };
    this.#told.set(id, told);
    const work = finishExecution(this.#platform, this.#runtime, end, before !== undefined)
      .then(() => this.#done(end))
      .catch((error: unknown) => this.#failed(told, error))
      .finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, work);
  }

  /** All that was told and is not collected, once more. */
  again(): void {
    for (const { end } of this.#told.values()) this.collect(end);
  }

  /** Nothing that takes long is done for it any more: what cannot be kept now is given up. */
  free(id: string): void {
    const told = this.#told.get(id);
    if (!told) return;
    told.isFreed = true;
    this.collect(told.end);
    setTimeout(() => {
      if (this.#told.get(id) === told) void this.#giveUp(told);
    }, FREED_MS).unref();
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#finishing.values());
  }

  #done(end: ExecutionEnd): void {
    if (this.#told.delete(end.executionId)) this.#collected(end);
  }

  async #failed(told: Told, error: unknown): Promise<void> {
    this.#platform.log.error({ execution: told.end.executionId, err: error }, 'could not collect an execution');
    if (isFaultOfContent(error)) told.faults += 1;
    if (told.isFreed || told.faults >= MOST_FAULTS) await this.#giveUp(told);
  }

  async #giveUp({ end }: Told): Promise<void> {
    const execution = end.executionId;
    try {
      await giveUpEnd(this.#platform, this.#runtime, end);
    } catch (error) {
      this.#platform.log.error({ execution, err: error }, 'could not give up an execution');
      return;
    }
    this.#platform.log.error({ execution }, 'gave up what an execution left; it ended without that');
    this.#done(end.outcome === 'SUCCEEDED' ? { ...end, outcome: 'FAILED' } : end);
  }
}
