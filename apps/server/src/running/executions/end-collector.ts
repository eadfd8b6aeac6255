import type { EndReceiver, ExecutionEnd, Runtime } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { finishExecution } from './finish.ts';
import { giveUpEnd, isFaultOfContent } from './give-up.ts';

/** Attempts to store an end whose content is at fault; then the end is given up. Some such faults pass. */
const MAX_FAULTS = 3;
/** Milliseconds for which an ended execution keeps its slot while its end is collected. */
const SLOT_MS = 60_000;
/** Milliseconds that the collecting of a freed execution may still take; then its end is given up. */
const FREED_MS = 10_000;

interface ReportedEnd {
  readonly end: ExecutionEnd;
  readonly since: number;
  faults: number;
  isFreed: boolean;
}

/** Collects the ends that the runtime reports, each once, however often it is reported. */
export class EndCollector implements EndReceiver {
  readonly #platform: Platform;
  readonly #runtime: Runtime;
  readonly #collected: (end: ExecutionEnd) => void;
  readonly #finishing = new Map<string, Promise<void>>();
  /** Ends that were reported and are not collected yet. The runtime may have forgotten them already. */
  readonly #reported = new Map<string, ReportedEnd>();

  /** Calls `collected` when an end is in the database, or was given up. */
  constructor(platform: Platform, runtime: Runtime, collected: (end: ExecutionEnd) => void) {
    this.#platform = platform;
    this.#runtime = runtime;
    this.#collected = collected;
  }

  has(id: string): boolean {
    return this.#reported.has(id);
  }

  get ids(): string[] {
    return [...this.#reported.keys()];
  }

  /** Ends that have waited for so long that their slots are freed. */
  get overdue(): string[] {
    const before = performance.now() - SLOT_MS;
    return this.ids.filter((id) => (this.#reported.get(id)?.since ?? Infinity) <= before);
  }

  /**
   * Collects an end. After a failure the next poll tries again, because an outage passes. When the content is at fault,
   * the execution ends without it after some attempts.
   */
  collect(end: ExecutionEnd): void {
    const id = end.executionId;
    if (this.#finishing.has(id)) return;
    const before = this.#reported.get(id);
    const reported = before ?? { end, since: performance.now(), faults: 0, isFreed: false };
    this.#reported.set(id, reported);
    const work = finishExecution(this.#platform, this.#runtime, end, before !== undefined)
      .then(() => this.#done(end))
      .catch((error: unknown) => this.#failed(reported, error))
      .finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, work);
  }

  /** Tries again to collect all ends that are not collected. */
  again(): void {
    for (const { end } of this.#reported.values()) this.collect(end);
  }

  /** Collects the end of an execution within some seconds, or gives up what it left. */
  free(id: string): void {
    const reported = this.#reported.get(id);
    if (!reported) return;
    reported.isFreed = true;
    this.collect(reported.end);
    setTimeout(() => {
      if (this.#reported.get(id) === reported) void this.#giveUp(reported);
    }, FREED_MS).unref();
  }

  /** Resolves when no attempt to collect an end of this execution is under way. */
  async over(id: string): Promise<void> {
    await this.#finishing.get(id);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#finishing.values());
  }

  #done(end: ExecutionEnd): void {
    if (this.#reported.delete(end.executionId)) this.#collected(end);
  }

  async #failed(reported: ReportedEnd, error: unknown): Promise<void> {
    this.#platform.log.error({ execution: reported.end.executionId, err: error }, 'could not collect an execution');
    if (isFaultOfContent(error)) reported.faults += 1;
    if (reported.isFreed || reported.faults >= MAX_FAULTS) await this.#giveUp(reported);
  }

  async #giveUp({ end }: ReportedEnd): Promise<void> {
    const execution = end.executionId;
    try {
      await giveUpEnd(this.#platform, this.#runtime, end);
    } catch (error) {
      this.#platform.log.error({ execution, err: error }, 'could not give up an execution');
      return;
    }
    this.#platform.log.error(
      { execution },
      'result and files of an execution could not be kept; it ended without them',
    );
    this.#done(end.outcome === 'SUCCEEDED' ? { ...end, outcome: 'FAILED' } : end);
  }
}
