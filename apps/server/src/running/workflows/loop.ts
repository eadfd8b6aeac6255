import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Platform } from '../../foundation/platform.ts';

/** Milliseconds between polls, which find lost notifications and work that another process left. */
const POLL_MS = 1_000;

/** Milliseconds until there may be more work; 0: at once; null: when somebody wakes the loop. */
export type Pause = number | null;

/** Milliseconds that a loop pauses between two rounds, at most. */
const LONGEST_PAUSE_MS = 10;

/**
 * Repeats its work when it is woken, after the pause that the work asked for, and at the pace of polls. Rounds never overlap.
 *
 * After a round without more work, the loop pauses as long as the round took. So one round takes all that arrives
 * meanwhile.
 */
export class Loop {
  readonly #name: string;
  readonly #work: () => Promise<Pause>;
  readonly #platform: Pick<Platform, 'log' | 'telemetry' | 'pace'>;
  #again = false;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #endPause: (() => void) | null = null;
  #stopped = false;

  constructor(name: string, platform: Pick<Platform, 'log' | 'telemetry' | 'pace'>, work: () => Promise<Pause>) {
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
    let pause: Pause = POLL_MS;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const began = performance.now();
      try {
        pause = await this.#work();
      } catch (error) {
        pause = POLL_MS;
        // Only outages come here: the work itself sets aside a faulty instance, timer or message.
        this.#platform.telemetry.metrics?.workflowRetried('round');
        this.#platform.log.error({ err: error }, `${this.#name}: tried again in a second`);
      }
      if (pause !== null && pause <= 0) this.#again = true;
      else if (!this.#stopped) await this.#pause(performance.now() - began);
    }
    if (this.#stopped) return;
    const pollMs = this.#platform.pace.pollMs(POLL_MS);
    this.#timer = setTimeout(() => this.wake(), Math.min(pollMs, pause ?? pollMs));
  }
}
