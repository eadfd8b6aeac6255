import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Platform } from '../../foundation/platform.ts';
import { WORK_POLL_MS } from '../../foundation/workers/index.ts';

/** Milliseconds after which a round that has failed is repeated. */
const AGAIN_MS = 1_000;

/** Milliseconds until there may be more work; 0: at once; null: when somebody wakes the loop. */
export type Pause = number | null;

/** Milliseconds that a loop pauses between two rounds, at most. */
const LONGEST_PAUSE_MS = 10;

/**
 * Repeats its work when it is woken, after the pause that the work asked for, and when the poll of this process finds
 * work. Rounds never overlap.
 *
 * After a round without more work, the loop pauses as long as the round took. So one round takes all that arrives
 * meanwhile.
 */
export class Loop {
  readonly #name: string;
  readonly #work: () => Promise<Pause>;
  readonly #platform: Pick<Platform, 'log' | 'telemetry' | 'pace' | 'now'>;
  #again = false;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #endPause: (() => void) | null = null;
  #stopped = false;

  constructor(
    name: string,
    platform: Pick<Platform, 'log' | 'telemetry' | 'pace' | 'now'>,
    work: () => Promise<Pause>,
  ) {
    this.#name = name;
    this.#platform = platform;
    this.#work = work;
  }

  /** True if no round is under way and the loop does not pause. */
  get isIdle(): boolean {
    return this.#working === null;
  }

  /** `isUrgent` ends a pause. */
  wake(isUrgent = false): void {
    if (this.#stopped) return;
    this.#again = true;
    if (isUrgent) this.#endPause?.();
    this.#working ??= this.#run().finally(() => {
      this.#working = null;
      if (this.#again) this.wake();
    });
  }

  /** Takes the finding of a poll: wakes the loop for work that is due before the next one. */
  polled(due: number | null): void {
    if (due !== null && due - this.#platform.now() <= this.#horizonMs) this.wake();
  }

  /** Milliseconds after which the next poll has come, also a late one. */
  get #horizonMs(): number {
    return 2 * this.#platform.pace.longestMs(WORK_POLL_MS);
  }

  /** Stops after the round under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#working;
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds < 1) return nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, milliseconds));
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
    this.#endPause = null;
  }

  async #run(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    let pause: Pause = AGAIN_MS;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const began = performance.now();
      try {
        pause = await this.#work();
      } catch (error) {
        pause = AGAIN_MS;
        // Only outages come here: the work itself sets aside a faulty instance, timer or message.
        this.#platform.telemetry.metrics?.workflowRetried('round');
        this.#platform.log.error({ err: error }, `${this.#name}: tried again in a second`);
      }
      if (pause !== null && pause <= 0) this.#again = true;
      else if (!this.#stopped) await this.#pause(performance.now() - began);
    }
    if (this.#stopped) return;
    // The poll finds what is due later.
    if (pause !== null && pause <= this.#horizonMs) this.#timer = setTimeout(() => this.wake(), pause);
  }
}
